import { expect, test } from "vitest";
import type { MetricScore } from "../api/types";
import { formatScore, hasFailed, summarizeScores } from "./scoreText";

const METRIC: MetricScore = {
  name: "tool_trajectory_avg_score",
  threshold: 1,
  score: 1,
  is_passed: true,
  turn_scores: [1],
  note: "",
};

test("a score is not rounded up", () => {
  expect([1, 0.999, 0.8, 0, null].map(formatScore)).toEqual(["1", "0.99", "0.80", "0.00", "–"]);
});

test("metrics that were not run have no score, and have not failed", () => {
  const skipped = { ...METRIC, name: "mine", score: null, is_passed: null };
  expect(summarizeScores([METRIC, skipped])).toBe("calls 1");
  expect(hasFailed([METRIC, skipped])).toBe(false);
  expect(hasFailed([{ ...METRIC, is_passed: false }])).toBe(true);
});

import { expect, test } from "vitest";
import type { BenchInfo, BenchResult } from "../api/types";
import { countOutcomes, getCell, getPassRateClass, mergeBench } from "./benchMatrix";

const key = (run: number) => ({ scenario: "s1", agent: "a", model: "", player: "", rules: "", seed: 0, run });

const makeRun = (run: number, outcome: BenchResult["outcome"]): BenchResult => ({
  ...key(run),
  run_id: `r${run}`,
  outcome,
  passed: outcome === "passed",
  reason: "",
  tags: [],
  input_tokens: 0,
  output_tokens: 0,
  model_calls: 0,
  tool_calls: 0,
  simulated_seconds: 0,
  wall_seconds: 0,
  report: "",
  world_seed: 0,
  session_id: "",
});

const makeInfo = (generation: number, runs: BenchResult[]): BenchInfo => ({
  key: "b",
  name: "b",
  path: "b",
  planned: 6,
  is_running: true,
  is_paused: false,
  keeps_timelines: false,
  running: [{ ...key(9), run_id: "r9", started_at: 1 }],
  requested: [],
  generation,
  variants: ["x", "a"].map((agent) => ({ label: agent, variant: { agent, model: "", player: "", rules: "" } })),
  scenarios: ["s1"],
  runs,
  next: runs.length,
});

test("later answers add runs, and replace the result of a run that was repeated", () => {
  const first = mergeBench(null, makeInfo(1, [makeRun(1, "error"), makeRun(2, "passed")]));
  const second = mergeBench(first, makeInfo(1, [makeRun(1, "passed"), makeRun(3, "failed")]));
  expect(countOutcomes(first)).toEqual({ finished: 2, passed: 1, failed: 0, errored: 1 });
  expect(countOutcomes(second)).toEqual({ finished: 3, passed: 2, failed: 1, errored: 0 });
  expect(getCell(second, 0, 1)).toMatchObject({ passed: 2, judged: 3, errored: 0, active: 1 });
  expect(getCell(second, 0, 0)).toBeUndefined();
});

test("an answer of another generation replaces what was known", () => {
  const first = mergeBench(null, makeInfo(1, [makeRun(1, "error"), makeRun(2, "passed")]));
  expect([...mergeBench(first, makeInfo(2, [makeRun(5, "passed")])).runs.keys()]).toEqual(["r5"]);
});

test("only what always or never passed has the colours of the ends", () => {
  const heat = (passed: number, judged: number) =>
    getPassRateClass({ runs: [], passed, judged, errored: 0, active: 0 });
  expect([heat(0, 0), heat(0, 3), heat(1, 3), heat(2, 3), heat(299, 300), heat(3, 3)]).toEqual([
    "heat-none",
    "heat-0",
    "heat-1",
    "heat-2",
    "heat-3",
    "heat-4",
  ]);
});

import { expect, test } from "vitest";
import type { CriteriaInfo } from "../api/types";
import { buildCriteria, createCriteriaDraft, findCriteriaProblem, hasRubrics } from "./criteria";

const CURRENT: CriteriaInfo = {
  calls: "any-order",
  rouge: null,
  rubrics: ["It is polite.", "It names the price."],
  tool_rubrics: [],
  rubric_score: 0.5,
  judge_model: "mine",
};

test("the criteria of the file are what the draft begins with, and are sent as they are", () => {
  expect(buildCriteria(createCriteriaDraft(CURRENT))).toEqual(CURRENT);
});

test("without a file the draft has the criteria that `adk eval` has by itself", () => {
  const criteria = buildCriteria(createCriteriaDraft(null));

  expect([criteria.calls, criteria.rouge, criteria.rubrics]).toEqual(["exact", 0.8, []]);
});

test("each line that is not empty is a rubric", () => {
  const draft = { ...createCriteriaDraft(null), toolRubrics: " one \n\n two" };

  expect(hasRubrics(createCriteriaDraft(null))).toBe(false);
  expect(hasRubrics(draft)).toBe(true);
  expect(buildCriteria(draft).tool_rubrics).toEqual(["one", "two"]);
});

test.each(["2", "-1", "high"])("%s is no similarity", (rouge) => {
  expect(findCriteriaProblem({ ...createCriteriaDraft(null), rouge })).toContain("from 0 to 1");
});

test("the response is not compared if the field is empty", () => {
  const draft = { ...createCriteriaDraft(null), rouge: " " };

  expect(findCriteriaProblem(draft)).toBe("");
  expect(buildCriteria(draft).rouge).toBeNull();
});

import { expect, test } from "vitest";
import { type FaultDraft, findFaultProblem, formatFaultAction, NEW_FAULT, readFaultAction } from "./faultDraft";

const DRAFTS: Partial<FaultDraft>[] = [
  { kind: "error", code: "404", message: "not here" },
  { kind: "raise", exception: "KeyError", message: "x: y" },
  { kind: "raise", exception: "KeyError", message: "" },
  { kind: "respond", json: '{"total":5.0}' },
  { kind: "timeout", seconds: "2.5" },
  { kind: "delay", seconds: "1" },
];

test.each(DRAFTS)("the fault %j can be edited after it was added", (change) => {
  const draft = { ...NEW_FAULT, tool: "add", ...change };

  expect(findFaultProblem(draft)).toBe("");
  expect(readFaultAction("add", formatFaultAction(draft))).toMatchObject({ tool: "add", ...change });
});

test.each<[Partial<FaultDraft>, string]>([
  [{ kind: "error", code: "5xx" }, "whole number"],
  [{ kind: "error", message: " " }, "message of the error"],
  [{ kind: "respond", json: "{" }, "not JSON"],
  [{ kind: "timeout", seconds: "-1" }, "0 or more"],
  [{ kind: "delay", seconds: "soon" }, "number of seconds"],
])("the fault %j is rejected when it is entered", (change, problem) => {
  expect(findFaultProblem({ ...NEW_FAULT, ...change })).toContain(problem);
});

test("an action that the form has no fields for is not edited", () => {
  expect(readFaultAction("add", '{"drop": ["a"]}')).toBeNull();
  expect(readFaultAction("add", '{"delay": {"min": 1, "max": 2}}')).toBeNull();
});

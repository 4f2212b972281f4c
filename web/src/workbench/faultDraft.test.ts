import { expect, test } from "vitest";
import {
  buildFaultInput,
  chooseTarget,
  type FaultDraft,
  findFaultProblem,
  formatFaultAction,
  getFaultTarget,
  listFaultKinds,
  MODEL_SEAT,
  NEW_FAULT,
  readFaultAction,
} from "./faultDraft";

const TOOL_DRAFTS: Partial<FaultDraft>[] = [
  { kind: "error", code: "404", message: "not here" },
  { kind: "raise", exception: "KeyError", message: "x: y" },
  { kind: "raise", exception: "KeyError", message: "" },
  { kind: "respond", json: '{"total":5.0}' },
  { kind: "timeout", seconds: "2.5" },
  { kind: "delay", seconds: "1" },
];

const MODEL_DRAFTS: Partial<FaultDraft>[] = [
  { kind: "api_error", code: "429", message: "slow down" },
  { kind: "api_error", code: "503", message: "" },
  { kind: "raise", exception: "TimeoutError", message: "" },
  { kind: "timeout", seconds: "30" },
  { kind: "delay", seconds: "1" },
  { kind: "empty" },
  { kind: "cut_text", characters: "12" },
  { kind: "max_tokens", characters: "0" },
  { kind: "malformed_call" },
  { kind: "unknown_tool", unknownTool: "serch" },
  { kind: "wrong_args" },
  { kind: "stale" },
];

test.each([
  ...TOOL_DRAFTS.map((change) => ({ tool: "add", ...change })),
  ...MODEL_DRAFTS.map((change) => ({ tool: MODEL_SEAT, ...change })),
])("the fault %j can be edited after it was added", (change) => {
  const draft = { ...NEW_FAULT, ...change };

  expect(findFaultProblem(draft, ["add"])).toBe("");
  expect(readFaultAction(change.tool, formatFaultAction(draft))).toMatchObject(change);
});

test("every kind of fault for the model has a draft above", () => {
  expect(listFaultKinds(MODEL_SEAT).map(([kind]) => kind)).toEqual([
    ...new Set(MODEL_DRAFTS.map((draft) => draft.kind)),
  ]);
});

test.each<[Partial<FaultDraft>, string]>([
  [{ kind: "error", code: "5xx" }, "whole number"],
  [{ kind: "error", message: " " }, "message of the error"],
  [{ kind: "respond", json: "{" }, "not JSON"],
  [{ kind: "timeout", seconds: "-1" }, "0 or more"],
  [{ kind: "delay", seconds: "soon" }, "number of seconds"],
  [{ kind: "api_error", code: "200" }, "from 400 to 599"],
  [{ kind: "cut_text", characters: "1.5" }, "whole number of characters"],
  [{ kind: "max_tokens", characters: "" }, "whole number of characters"],
  [{ kind: "unknown_tool", unknownTool: " " }, "does not exist"],
  [{ kind: "unknown_tool", unknownTool: "add" }, "This tool exists"],
])("the fault %j is rejected when it is entered", (change, problem) => {
  expect(findFaultProblem({ ...NEW_FAULT, ...change }, ["add"])).toContain(problem);
});

test("an action that the form has no fields for is not edited", () => {
  expect(readFaultAction("add", '{"drop": ["a"]}')).toBeNull();
  expect(readFaultAction("add", '{"delay": {"min": 1, "max": 2}}')).toBeNull();
  expect(readFaultAction("add", '{"empty": true}')).toBeNull();
});

test("a kind of fault that the model cannot have becomes one that it can, and the other way round", () => {
  const draft = chooseTarget({ ...NEW_FAULT, kind: "respond" }, MODEL_SEAT);
  expect(draft).toMatchObject({ tool: MODEL_SEAT, kind: "api_error" });
  expect(chooseTarget(draft, "add")).toMatchObject({ tool: "add", kind: "error" });
  expect(chooseTarget({ ...NEW_FAULT, kind: "delay" }, MODEL_SEAT).kind).toBe("delay");
});

test("a fault for the model names no tool", () => {
  const draft = { ...NEW_FAULT, tool: MODEL_SEAT, kind: "empty" } as const;
  expect(buildFaultInput(draft)).toEqual({ seat: "model", tool_name: "", action: '{"empty":true}' });
  expect(getFaultTarget({ seat: "model", tool_name: "" })).toBe(MODEL_SEAT);
  expect(buildFaultInput({ ...draft, tool: "add" })).toMatchObject({ seat: "tool", tool_name: "add" });
});

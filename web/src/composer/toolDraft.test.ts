import { describe, expect, test } from "vitest";
import { draftFromJson, serializeDraft } from "../form";
import { buildToolResponse, findDraftProblem, readToolDraft, type ToolDraft } from "./toolDraft";

const SCHEMA = { type: "object", properties: { degrees: { type: "number" } }, required: ["degrees"] };

function sampleDraft(changes: Partial<ToolDraft> = {}): ToolDraft {
  return { ...readToolDraft({ toolDraft: null }, "r"), ...changes };
}

test("what was typed for another call is not sent for this one", () => {
  const stored = sampleDraft({ requestId: "other", error: "typed" });

  expect(readToolDraft({ toolDraft: stored }, "other")).toBe(stored);
  expect(readToolDraft({ toolDraft: stored }, "r")).toMatchObject({ requestId: "r", mode: "result", error: "" });
});

describe("what is sent", () => {
  test("is the form as JSON, with the digits that were typed", () => {
    const draft = sampleDraft({ form: serializeDraft(draftFromJson('{"degrees":3.50}')) });

    expect(buildToolResponse(draft, SCHEMA, false)).toEqual({
      response: { result: '{"degrees":3.50}', error_type: "", error_message: "", force: false },
    });
    expect(buildToolResponse(draft, SCHEMA, true)).toMatchObject({ response: { force: true } });
  });

  test("are problems while the JSON cannot be read", () => {
    const raw = { ...draftFromJson("{}"), raw: "{degrees" };

    expect(buildToolResponse(sampleDraft({ form: serializeDraft(raw) }), SCHEMA, false)).toHaveProperty("problems");
  });

  test("is an error that need not match the schema", () => {
    const draft = sampleDraft({ mode: "error", error: 'no "service"' });

    expect(buildToolResponse(draft, SCHEMA, false)).toEqual({
      response: { result: '{"error":"no \\"service\\""}', error_type: "", error_message: "", force: true },
    });
  });

  test("is an exception", () => {
    const draft = sampleDraft({ mode: "raise", errorType: " TimeoutError ", errorMessage: "late" });

    expect(buildToolResponse(draft, SCHEMA, false)).toMatchObject({
      response: { error_type: "TimeoutError", error_message: "late" },
    });
  });
});

test.each<[Partial<ToolDraft>, string]>([
  [{}, ""],
  [{ mode: "error" }, "Write what went wrong."],
  [{ mode: "error", error: "x" }, ""],
  [{ mode: "raise" }, ""],
  [{ mode: "raise", errorType: "not a name" }, "Write the name of an exception."],
])("the draft %j has the problem %j", (changes, problem) => {
  expect(findDraftProblem(sampleDraft(changes))).toBe(problem);
});

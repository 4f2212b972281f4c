import { describe, expect, test } from "vitest";
import type { CaseFieldInfo } from "../api/types";
import { changeField, countInvalid, removeSavedValues } from "./caseDraft";

const ANSWER: CaseFieldInfo = {
  path: "a",
  turn: 1,
  label: "final response",
  kind: "text",
  value: "4",
  tool_name: "",
  value_schema: null,
};
const ARGUMENTS: CaseFieldInfo = {
  path: "b",
  turn: 1,
  label: "arguments",
  kind: "object",
  value: "{}",
  tool_name: "t",
  value_schema: null,
};

describe("corrections of a case", () => {
  test("are kept until a field is as it was", () => {
    const changed = changeField(null, "one", ANSWER, "five");
    expect(changed).toEqual({ fingerprint: "one", values: { a: "five" } });
    expect(changeField(changed, "two", ARGUMENTS, '{"x": 1}')?.fingerprint).toBe("one");
    expect(changeField(changed, "one", ANSWER, "4")).toBeNull();
  });

  test("are none if only the layout of JSON differs", () => {
    const field = { ...ARGUMENTS, value: '{"x": 1}' };
    expect(changeField(null, "one", field, '{\n  "x": 1\n}')).toBeNull();
    expect(changeField(null, "one", field, '{"x": 1.0}')).not.toBeNull();
  });

  test("that were typed while others were saved are kept for the new content", () => {
    const sent = { fingerprint: "one", values: { a: "five" } };
    expect(removeSavedValues(sent, sent, "two")).toBeNull();
    expect(removeSavedValues({ fingerprint: "one", values: { a: "five!", b: "{}" } }, sent, "two")).toEqual({
      fingerprint: "two",
      values: { a: "five!", b: "{}" },
    });
  });

  test.each(["{", "[1]", "5", ""])("that are not JSON objects are counted: %s", (value) => {
    const draft = { fingerprint: "one", values: { a: "{", b: value } };
    expect(countInvalid(draft, [ANSWER, ARGUMENTS])).toBe(1);
    expect(countInvalid({ ...draft, values: { b: "{}" } }, [ANSWER, ARGUMENTS])).toBe(0);
  });
});

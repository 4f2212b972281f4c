import { expect, test } from "vitest";
import type { DisplayValue } from "../api/types";
import { sampleRow } from "../testing/samples";
import { isOneLine, toText } from "./RowPreview";

function sampleValue(text: string, changes: Partial<DisplayValue> = {}): DisplayValue {
  return { label: "result", format: "json", text, size: text.length, is_complete: true, ...changes };
}

test("a result of several lines is a text, other JSON stays JSON", () => {
  expect(toText(sampleValue('"one\\ntwo"'))).toMatchObject({ format: "text", text: "one\ntwo" });
  expect(toText(sampleValue('"one"')).format).toBe("json");
  expect(toText(sampleValue('{"a": "one\\ntwo"}')).format).toBe("json");
  expect(toText(sampleValue('"one\\ntw', { is_complete: false })).format).toBe("json");
});

test.each([
  ["What is (17 + 4) * 2?", true],
  ["a snake_case name", true],
  ["It is **42**.", false],
  ["Use `add`.", false],
  ["_really_", false],
  ["# Title", false],
  ["one\ntwo", false],
])("whether the line shows all of %j: %s", (text, isShown) => {
  const row = sampleRow({ kind: "answer", summary: text });
  expect(isOneLine(sampleValue(text, { label: "text", format: "markdown" }), row)).toBe(isShown);
});

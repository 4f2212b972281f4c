import { expect, test } from "vitest";
import { stringify } from "./lossless";
import { describeTextOrJson, readTextOrJson } from "./textOrJson";

test.each([
  ["Ada", '"Ada"', "Sent as text."],
  [" Ada \n", '"Ada"', "Sent as text."],
  ["12345678901234567890", "12345678901234567890", "Sent as JSON. In quotes, it is text."],
  ["true", "true", "Sent as JSON. In quotes, it is text."],
  ['{"a": 5.0}', '{"a":5.0}', "Sent as JSON. In quotes, it is text."],
  ['"10115"', '"10115"', "Sent as text, without the quotes."],
  ["007", '"007"', "Sent as text."],
])("%j is %s", (typed, value, hint) => {
  expect(stringify(readTextOrJson(typed))).toBe(value);
  expect(describeTextOrJson(typed)).toBe(hint);
});

test("what was meant to be JSON is text too, and the hint says where it is wrong", () => {
  expect(readTextOrJson('{"a": ')).toBe('{"a":');
  expect(describeTextOrJson('{"a": ')).toMatch(/^Sent as text: it is not JSON \(.+\)\.$/);
});

test("nothing typed has no hint", () => {
  expect(describeTextOrJson(" ")).toBe("");
});

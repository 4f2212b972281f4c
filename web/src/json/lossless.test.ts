import { expect, test } from "vitest";
import { chance, createRandomValue, mutateText } from "../testing/randomJson";
import { ExactNumber, fromPlain, isEqual, type Json, JsonError, parse, parseNumber, stringify } from "./lossless";

const NUMBERS = ["0", "-0", "5", "5.0", "-1.50", "1e3", "1E+3", "12345678901234567890", "0.1", "1e400", "1e-400"];

test.each(NUMBERS)("the number %s goes out as it came in", (text) => {
  expect(stringify(parse(text))).toBe(text);
  expect(stringify(parse(`{"a":[${text}]}`))).toBe(`{"a":[${text}]}`);
});

test("a number is kept as text only where JavaScript would change it", () => {
  expect(parse("5")).toBe(5);
  expect(parse("5.0")).toEqual(new ExactNumber("5.0"));
});

test.each(["", "+5", "05", ".5", "5.", "1e", "0x1", "NaN", "5 ", "--1"])("%j is not a number", (text) => {
  expect(parseNumber(text)).toBeNull();
});

test("keys keep their order, and a key that occurs twice is an error", () => {
  expect(stringify(parse('{"b":1,"10":2,"2":3}'))).toBe('{"b":1,"10":2,"2":3}');
  expect(() => parse('{"b": 1, "a": 2, "b": 3}')).toThrow('duplicate key "b"');
});

test("a key __proto__ is a key like any other", () => {
  const value = parse('{"__proto__":{"polluted":true}}') as Map<string, Json>;

  expect([...value.keys()]).toEqual(["__proto__"]);
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
  expect(stringify(fromPlain(JSON.parse('{"__proto__":1}')))).toBe('{"__proto__":1}');
});

test.each([
  ["", 1, 1, "expected a value, found the end"],
  ["{", 1, 2, "expected a key in double quotes, found the end"],
  ['{"a" 1}', 1, 6, 'expected ":" after the key, found "1"'],
  ['{\n  "a": 12a\n}', 2, 10, 'expected "," or "}", found "a"'],
  ['{"a": 1,}', 1, 9, 'expected a key in double quotes, found "}"'],
  ["[1 2]", 1, 4, 'expected "," or "]", found "2"'],
  ["[1,]", 1, 4, 'expected a value, found "]"'],
  ["tru", 1, 1, 'expected a value, found "tru"'],
  ["5 5", 1, 3, 'unexpected "5" after the value'],
  ["[nullx]", 1, 6, 'expected "," or "]", found "x"'],
  ['["abc', 1, 2, 'the string that starts here has no closing "'],
  ['"a\nb"', 1, 3, "a line break inside a string: write \\n"],
  ['"\\x"', 1, 2, "\\x is not an escape sequence: write \\\\ for a backslash"],
  ['"\\u12g4"', 1, 2, "\\u must be followed by four hexadecimal digits"],
])("%j says where it cannot be read", (text, line, column, reason) => {
  const error = errorOf(text);

  expect([error.line, error.column, error.reason]).toEqual([line, column, reason]);
});

test("nesting is bounded", () => {
  expect(errorOf("[".repeat(100_000)).reason).toBe("nested deeper than 400 levels");
  expect(parse(`${"[".repeat(300)}${"]".repeat(300)}`)).toHaveLength(1);
});

test("what JavaScript reads is read alike, and what it refuses is refused", () => {
  const random = chance(7);
  for (let round = 0; round < 3000; round += 1) {
    const text = mutateText(JSON.stringify(createRandomValue(random, 4)), random);
    let plain: unknown;
    try {
      plain = JSON.parse(text);
    } catch {
      expect(() => parse(text), text).toThrow(JsonError);
      continue;
    }
    expect(isEqual(parse(text), fromPlain(plain)), text).toBe(true);
    expect(JSON.parse(stringify(parse(text)))).toEqual(plain);
    expect(JSON.parse(stringify(parse(text), 2))).toEqual(plain);
  }
});

test("printing with an indent looks as people expect it", () => {
  expect(stringify(parse('{"a":[1,{"b":null}],"c":{},"d":[]}'), 2)).toBe(
    '{\n  "a": [\n    1,\n    {\n      "b": null\n    }\n  ],\n  "c": {},\n  "d": []\n}',
  );
});

test("1 and 1.0 are the same, 1 and true are not, the order of keys does not matter", () => {
  expect(isEqual(parse("1"), parse("1.0"))).toBe(true);
  expect(isEqual(parse("1"), parse("true"))).toBe(false);
  expect(isEqual(parse("12345678901234567890"), parse("12345678901234567891"))).toBe(false);
  expect(isEqual(parse('{"a":1,"b":[2]}'), parse('{"b":[2.0],"a":1}'))).toBe(true);
});

function errorOf(text: string): JsonError {
  try {
    parse(text);
  } catch (error) {
    return error as JsonError;
  }
  throw new Error(`${text} could be read`);
}

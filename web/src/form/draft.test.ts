import { expect, test } from "vitest";
import { parse, stringify } from "../json/lossless";
import type { Path } from "../json/path";
import {
  createDraft,
  deserializeDraft,
  draftFromJson,
  type FormDraft,
  formatRawJson,
  serializeDraft,
  toForm,
  toRawJson,
  withKey,
  withOrder,
  withRaw,
  withText,
  withValue,
} from "./draft";
import { draftToJson } from "./problems";

const ADD = { type: "object", properties: { a: { type: "integer" }, b: { type: "number" } }, required: ["a", "b"] };
const ANY = {};

function json(draft: FormDraft): string {
  return stringify(draft.value ?? null);
}

test("an empty form says what is missing and can be sent all the same", () => {
  expect(draftToJson(createDraft(ADD), ADD)).toEqual({
    text: "{}",
    problems: [
      { path: "a", message: "is missing" },
      { path: "b", message: "is missing" },
    ],
  });
});

test("what is no number blocks, is told at its field and survives a reload", () => {
  const draft = withText(withValue(createDraft(ADD), ["b"], parse("5.0")), ["a"], "12a", undefined, ["a", "b"]);

  expect(draftToJson(draft, ADD)).toEqual({
    text: null,
    problems: [{ path: "a", message: 'is "12a", must be an integer such as 5' }],
  });
  expect(deserializeDraft(serializeDraft(draft))).toEqual(draft);
});

test("a draft that an earlier version stored is restored: `touched` was called `left`", () => {
  const draft: FormDraft = { ...withText(createDraft(ADD), ["a"], "12a", undefined), touched: { "/a": true } };
  const { touched: left, ...rest } = JSON.parse(serializeDraft(draft));

  expect(deserializeDraft(JSON.stringify({ ...rest, left }))).toEqual(draft);
});

test("the way to JSON keeps what cannot be read, and the way back brings it again", () => {
  const draft = withText(createDraft(ADD), ["a"], "12a", undefined);
  const raw = toRawJson(draft);

  expect(raw.raw).toBe('{\n  "a": 12a\n}');
  expect(toForm(raw)).toEqual(draft);
});

test("JSON that cannot be read stays and is told with its place; mended it becomes the form", () => {
  const broken = withRaw(toRawJson(createDraft(ADD)), '{"a": 1,\n "b": }');

  expect(toForm(broken)).toBeNull();
  expect(draftToJson(broken, ADD)).toEqual({
    text: null,
    problems: [{ path: "", message: 'is not JSON: line 2, column 7: expected a value, found "}"' }],
  });
  expect(formatRawJson(broken)).toBe('{"a": 1,\n "b": }');

  const mended = withRaw(broken, '{"a": 1,\n "b": 2.50}');
  expect(draftToJson(mended, ADD)).toEqual({ text: '{"a":1,"b":2.50}', problems: [] });
  expect(toForm(mended)).toMatchObject({ value: parse('{"a":1,"b":2.50}'), raw: null });
});

test("a text that is not JSON becomes a draft all the same", () => {
  expect(draftFromJson("{oops")).toMatchObject({ raw: "{oops", value: undefined });
});

test("fields that are set late still come in the schema's order", () => {
  const order = ["a", "b", "c"];
  const late = withValue(withValue(draftFromJson("{}"), ["c"], 3, order), ["a"], 1, order);

  expect(json(withValue(late, ["b"], 2, order))).toBe('{"a":1,"b":2,"c":3}');
});

test("an unset field is gone, and so is what was typed inside it", () => {
  const draft = withText(draftFromJson('{"a":{"x":1},"b":2}'), ["a", "x"], "1x", undefined);

  expect(withValue(draft, ["a"], undefined)).toMatchObject({ texts: {}, value: parse('{"b":2}') });
});

test("items that move take along what was typed and picked in them", () => {
  const texts = withText(draftFromJson('{"list":[1,2,3]}'), ["list", 2], "3x", undefined);
  const draft = { ...texts, variants: { "/list/0": 1 }, open: { "/list/1": false } };

  expect(withOrder(draft, ["list"], [2, 0])).toMatchObject({
    value: parse('{"list":[null,1]}'),
    texts: { "/list/0": "3x" },
    variants: { "/list/1": 1 },
    open: {},
  });
});

test("a renamed key keeps its place and what was typed under it; a taken key is refused", () => {
  const draft = withText(draftFromJson('{"m":{"a/b":1,"c":2}}'), ["m", "a/b"], "1x", undefined);
  const renamed = withKey(draft, ["m"], "a/b", "#~");

  expect(json(renamed)).toBe('{"m":{"#~":null,"c":2}}');
  expect(renamed.texts).toEqual({ "/m/~2~0": "1x" });
  expect(withKey(draft, ["m"], "a/b", "c")).toBe(draft);
});

test.each<[string, Path]>([
  ['{"__proto__":{}}', ["__proto__", "polluted"]],
  ['{"constructor":{}}', ["constructor", "prototype"]],
])("%s is filled like any other object", (text, path) => {
  const draft = withText(draftFromJson(text), path, "x", undefined);

  expect(json(draft)).toContain("null");
  expect(({} as Record<string, unknown>).polluted).toBeUndefined();
});

test.each(["", "null", "[]", '{"value":"{"}', '{"value":null,"raw":5}'])("%j is not a stored draft", (text) => {
  expect(deserializeDraft(text)).toBeNull();
});

test("anything fits a schema that says nothing", () => {
  expect(draftToJson(draftFromJson('[1,{"a":null}]'), ANY)).toEqual({ text: '[1,{"a":null}]', problems: [] });
  expect(draftToJson(createDraft(ANY), ANY)).toEqual({ text: null, problems: [{ path: "", message: "is missing" }] });
});

import { expect, test } from "vitest";
import { type Json, parse, stringify } from "../json/lossless";
import corpus from "./corpus.json";
import { createDraft, deserializeDraft, draftFromJson, serializeDraft, toForm, toRawJson, withRaw } from "./draft";
import { readField } from "./field";
import { readItemSchema, readProperties, readRequired, type Schema } from "./keywords";
import { draftToJson } from "./problems";
import { findVariant, isOfKind, scoreMatch } from "./variant";

const CASES = corpus as unknown as { name: string; schema: Schema; good: string[] }[];
const GOOD = CASES.flatMap(({ name, schema, good }) => good.map((text) => ({ name, schema, text })));

test.each(GOOD)("$name: $text goes through the form as it is", ({ schema, text }) => {
  expect(draftToJson(draftFromJson(text), schema)).toEqual({ text: stringify(parse(text)), problems: [] });
});

test.each(GOOD)("$name: $text survives the way to JSON and back, and a reload", ({ schema, text }) => {
  const draft = draftFromJson(text);
  const raw = toRawJson(draft);
  const back = toForm(withRaw(raw, `${raw.raw} `));

  expect(back).not.toBeNull();
  expect(back && draftToJson(back, schema).text).toBe(stringify(parse(text)));
  expect(toForm(raw)).toEqual(draft);
  expect(deserializeDraft(serializeDraft(draft))).toEqual(draft);
});

test.each(GOOD)("$name: $text is shown by widgets, not as raw JSON, and by the right variant", ({ schema, text }) => {
  visit(parse(text), schema, (value, valueSchema) => {
    const field = readField(valueSchema, schema);
    expect(isOfKind(value, field)).toBe(true);
    if (field.kind === "union" && value !== null) {
      expect(scoreMatch(value, field.variants[findVariant(value, field, schema)] as Schema, schema)).toBe(1);
    }
  });
});

test.each(CASES)(
  "$name: an empty form lacks just what is required and has more than one possible value",
  ({ schema }) => {
    const { problems } = draftToJson(createDraft(schema), schema);
    const top = problems.filter((problem) => !/[.[]/.test(problem.path));
    const open = readProperties(schema).filter(([name, property]) => {
      const { kind, choices, nullable } = readField(property, schema);
      const stands = ["object", "list", "tuple"].includes(kind) || (kind === "choice" && choices.length === 1);
      return readRequired(readField(schema, schema).schema).has(name) && (nullable || !stands);
    });

    expect(problems.every((problem) => problem.message === "is missing")).toBe(true);
    expect(top.map((problem) => problem.path)).toEqual(expect.arrayContaining(open.map(([name]) => name)));
  },
);

test("few fields of the corpus are raw JSON: those that may hold anything", () => {
  const raw = CASES.flatMap(({ name, schema }) =>
    readProperties(readField(schema, schema).schema)
      .filter(([, property]) => readField(property, schema).kind === "json")
      .map(([property]) => `${name}.${property}`),
  );

  expect(raw).toEqual([
    "remember.anything",
    "untyped.a",
    "untyped.b",
    "hand_written_schema.free",
    "hand_written_json.c",
    "set_env.any",
    "set_env.never",
    "ship.note",
    "measure.colour",
  ]);
});

function visit(value: Json, schema: Schema, look: (value: Json, schema: Schema) => void, root = schema): void {
  look(value, schema);
  const declared = readField(schema, root);
  const isUnion = declared.kind === "union" && value !== null;
  const field = isUnion ? readField(declared.variants[findVariant(value, declared, root)] as Schema, root) : declared;
  if (value instanceof Map && field.kind === "object") {
    for (const [name, property] of readProperties(field.schema)) {
      const item = value.get(name);
      if (item !== undefined) {
        visit(item, property, look, root);
      }
    }
  } else if (Array.isArray(value) && field.kind !== "json") {
    for (const [index, item] of value.entries()) {
      visit(item, readItemSchema(field.schema, index) ?? {}, look, root);
    }
  }
}

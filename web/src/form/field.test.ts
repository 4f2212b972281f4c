import { expect, test } from "vitest";
import { type Json, parse, stringify } from "../json/lossless";
import { readField } from "./field";
import { describeBounds, describeUnset, findDistinctTitle } from "./hints";
import { createInitialValue } from "./initialValue";
import { readProperties, readRequired, type Schema } from "./keywords";
import { describeType, nameVariants } from "./typeNames";
import { convertValue, findVariant } from "./variant";

const CARD = { title: "Card", type: "object", properties: { number: { type: "string" } }, required: ["number"] };
const CIRCLE = {
  type: "object",
  properties: { kind: { const: "circle" }, size: { type: "number" } },
  required: ["kind"],
};
const SQUARE = {
  type: "object",
  properties: { kind: { const: "square" }, size: { type: "number" } },
  required: ["kind"],
};

function kindOf(schema: Schema) {
  return readField(schema, schema).kind;
}

test.each<[Schema, string]>([
  [{ type: "string" }, "text"],
  [{ type: ["integer", "null"] }, "integer or null"],
  [{ anyOf: [{ type: "number" }, { type: "null" }] }, "number or null"],
  [{ type: ["integer", "number"] }, "number"],
  [{ type: ["integer", "string"] }, "integer or text"],
  [{ enum: [1, "two", null] }, "choice or null"],
  [{ const: 5 }, "constant"],
  [{ oneOf: [{ const: 1, title: "One" }, { const: 2 }] }, "choice"],
  [{ type: "array", items: { type: "integer" } }, "list of integer"],
  [{ type: "object", additionalProperties: { type: "integer" } }, "map of integer"],
  [{ type: "object" }, "map"],
  [{ anyOf: [CARD, { anyOf: [{ type: "integer" }, { type: "null" }] }] }, "Card or integer or null"],
  [{ oneOf: [CIRCLE, SQUARE] }, "circle or square"],
  [{}, "JSON"],
  [{ not: { type: "string" } }, "JSON"],
  [{ $ref: "#/nowhere" }, "JSON"],
  [{ $ref: "https://example.org/schema" }, "JSON"],
  [{ allOf: [{ type: "string" }, { type: "integer" }] }, "JSON"],
  [{ type: "nonsense" }, "JSON"],
])("%j is called %s", (schema, name) => {
  expect(describeType(readField(schema, schema), schema)).toBe(name);
});

test("variants of the same name are told apart", () => {
  const schema = {
    anyOf: [{ ...CIRCLE, title: "Shape" }, { ...SQUARE, title: "Shape" }, { type: "array" }, { type: "array" }],
  };

  expect(nameVariants(readField(schema, schema), schema)).toEqual([
    "Shape (circle)",
    "Shape (square)",
    "list 3",
    "list 4",
  ]);
});

test("allOf and what stands beside a reference are merged, in order", () => {
  const schema = {
    $defs: { Base: { type: "object", properties: { a: { type: "integer" } }, required: ["a"], title: "Base" } },
    allOf: [{ $ref: "#/$defs/Base" }, { properties: { b: { type: "string" } }, required: ["b"] }],
    title: "Both",
  };
  const { schema: merged } = readField(schema, schema);

  expect(readProperties(merged).map(([name]) => name)).toEqual(["a", "b"]);
  expect([...readRequired(merged)]).toEqual(["a", "b"]);
  expect(merged.title).toBe("Both");
});

test("fields that are stated before allOf come before its fields", () => {
  const schema = { properties: { a: {} }, allOf: [{ properties: { b: {} } }] };

  expect(readProperties(readField(schema, schema).schema).map(([name]) => name)).toEqual(["a", "b"]);
});

test("fields beside a union belong to each variant", () => {
  const schema = { type: "object", properties: { id: { type: "integer" } }, anyOf: [CIRCLE, CARD] };
  const field = readField(schema, schema);

  expect(
    field.variants.map((variant) => readProperties(readField(variant, schema).schema).map(([name]) => name)),
  ).toEqual([
    ["id", "kind", "size"],
    ["id", "number"],
  ]);
});

test("a constant tells the variants of a union apart", () => {
  const schema = { oneOf: [CIRCLE, SQUARE] };
  const field = readField(schema, schema);

  expect(findVariant(parse('{"kind":"square"}'), field, schema)).toBe(1);
  expect(findVariant(parse('{"kind":"square","size":"wrong"}'), field, schema)).toBe(1);
});

test.each<[string, Schema, string]>([
  ['{"kind":"circle","size":5.0,"r":1}', SQUARE, '{"kind":"square","size":5.0}'],
  ['{"kind":"circle","size":"x"}', SQUARE, '{"kind":"square"}'],
  ["5.0", { type: "string" }, '"5.0"'],
  ['"5.0"', { type: "number" }, "5.0"],
  ['"five"', { type: "string" }, '"five"'],
  ["[1,2]", { type: "array", items: { type: "integer" } }, "[1,2]"],
])("of %s what fits the other variant is kept", (text, schema, kept) => {
  expect(stringify(convertValue(parse(text), schema, schema).value)).toBe(kept);
});

test("a fresh object holds what can be no other, and nothing that a person should decide", () => {
  const inner = {
    type: "object",
    properties: { kind: { const: "x" }, free: { type: "string" } },
    required: ["kind", "free"],
  };
  const schema = {
    type: "object",
    properties: {
      inner,
      list: { type: "array" },
      pair: { prefixItems: [{ type: "integer" }, inner] },
      text: { type: "string" },
    },
    required: ["inner", "list", "pair", "text"],
  };

  expect(stringify(createInitialValue(schema, schema).value)).toBe(
    '{"inner":{"kind":"x"},"list":[],"pair":[null,{"kind":"x"}]}',
  );
  expect(createInitialValue(schema, schema).unfilled).toEqual([["pair", 0]]);
});

test("hints say what the schema says, in words", () => {
  expect(describeBounds({ minimum: 1, maximum: 99 })).toEqual(["1 to 99"]);
  expect(describeBounds({ minLength: 4, maxLength: 4, pattern: "(a+)+$" })).toEqual([
    "exactly 4 characters",
    "pattern (a+)+$",
  ]);
  expect(describeBounds({ minItems: 1 })).toEqual(["at least 1 item"]);
  expect(describeUnset({ default: [] })).toBe("default []");
  expect(describeUnset({})).toBe("unset");
  expect(findDistinctTitle({ title: "Zip Code" }, "zip_code")).toBe("");
  expect(findDistinctTitle({ title: "Postal code" }, "zip_code")).toBe("Postal code");
});

test("schemas that are made to hang do not", () => {
  const loop = { $defs: { A: { $ref: "#/$defs/A" } }, $ref: "#/$defs/A" };
  const union = { $defs: { A: { anyOf: [{ $ref: "#/$defs/A" }, { type: "string" }] } }, $ref: "#/$defs/A" };
  const deep = {
    $defs: { A: { type: "object", properties: { a: { $ref: "#/$defs/A" } }, required: ["a"] } },
    $ref: "#/$defs/A",
  };
  const wide = {
    $defs: { A: { anyOf: Array.from({ length: 8 }, () => ({ type: "array", items: { $ref: "#/$defs/A" } })) } },
    $ref: "#/$defs/A",
  };
  const names = Array.from({ length: 12 }, (_, index) => `f${index}`);
  const bushy = {
    $defs: {
      A: {
        type: "object",
        properties: Object.fromEntries(names.map((name) => [name, { $ref: "#/$defs/A" }])),
        required: names,
      },
    },
    $ref: "#/$defs/A",
  };
  let nested: Json = [];
  for (let depth = 0; depth < 100; depth += 1) {
    nested = [nested, nested];
  }

  expect(kindOf(loop)).toBe("json");
  expect(kindOf(union)).toBe("union");
  expect(stringify(createInitialValue(deep, deep).value)).toBe('{"a":{"a":{"a":{"a":{}}}}}');
  expect(findVariant(nested, readField(wide, wide), wide)).toBe(0);
  expect(stringify(createInitialValue(bushy, bushy).value).length).toBeLessThan(10_000);
});

test("a field named __proto__ is a field", () => {
  const schema = JSON.parse('{"type":"object","properties":{"__proto__":{"type":"integer"}},"required":["__proto__"]}');
  const merged = readField({ allOf: [schema] }, schema).schema;

  expect(readProperties(merged).map(([name]) => name)).toEqual(["__proto__"]);
});

/**
 * Reads a JSON Schema as a form field.
 *
 * Schemas come from tools and are untrusted: references stay inside the document, nothing is run, invalid parts are
 * ignored, and what a form cannot express becomes the kind "json".
 */

import { fromPlain, type Json } from "../json/lossless";
import { isObject, type Schema, toSchemas, toText } from "./keywords";
import { combineSchemas, mergeSchema } from "./mergeSchemas";

export type FieldKind =
  | "text"
  | "integer"
  | "number"
  | "boolean"
  | "choice"
  | "object"
  | "list"
  | "tuple"
  | "union"
  | "null"
  | "json";

export interface Choice {
  value: Json;
  title: string;
}

/** One field: a schema with references resolved and simple compositions merged. */
export interface Field {
  kind: FieldKind;
  schema: Schema;
  /** Whether null is allowed beside the values of the kind. */
  nullable: boolean;
  /** The options of a "choice". */
  choices: readonly Choice[];
  /** The variants of a "union". */
  variants: readonly Schema[];
}

const MAX_CHOICES = 2000;
const TYPE_NAMES = ["string", "integer", "number", "boolean", "object", "array", "null"];
const KINDS: Readonly<Record<string, FieldKind>> = {
  string: "text",
  integer: "integer",
  number: "number",
  boolean: "boolean",
  object: "object",
  array: "list",
  null: "null",
};

const fieldCache = new WeakMap<Schema, WeakMap<Schema, Field>>();

/** Reads a schema as a field; `root` is the document that references point into. */
export function readField(schema: Schema, root: Schema): Field {
  const fields = fieldCache.get(root) ?? new WeakMap<Schema, Field>();
  fieldCache.set(root, fields);
  const cached = fields.get(schema);
  if (cached !== undefined) {
    return cached;
  }
  // Ends the recursion of a union that contains itself.
  fields.set(schema, { kind: "json", schema, nullable: false, choices: [], variants: [] });
  const field = buildField(schema, root);
  fields.set(schema, field);
  return field;
}

function buildField(source: Schema, root: Schema): Field {
  const schema = mergeSchema(source, root);
  const field = { schema, nullable: false, choices: [], variants: [] };
  if (schema === null || isObject(schema.not)) {
    return { ...field, schema: schema ?? source, kind: "json" };
  }
  if (Object.hasOwn(schema, "const")) {
    return buildChoiceField(schema, [schema.const]);
  }
  if (Array.isArray(schema.enum)) {
    return buildChoiceField(schema, schema.enum);
  }
  const variants = toSchemas(schema.anyOf ?? schema.oneOf);
  if (variants.length > 0) {
    return schema.anyOf !== undefined && schema.oneOf !== undefined
      ? { ...field, schema, kind: "json" }
      : buildUnionField(schema, variants, root);
  }
  return buildTypedField(schema, readTypes(schema));
}

function buildChoiceField(schema: Schema, source: readonly unknown[]): Field {
  const values = source.slice(0, MAX_CHOICES).map((value) => fromPlain(value));
  const others = values.filter((value) => value !== null);
  const choices = others.map((value) => ({ value, title: "" }));
  const nullable = others.length < values.length;
  const kind = others.length === 0 ? "null" : "choice";
  return { kind, schema, nullable: nullable && kind === "choice", choices, variants: [] };
}

function buildUnionField(schema: Schema, source: readonly Schema[], root: Schema): Field {
  const { anyOf: _, oneOf: __, ...rest } = schema;
  const fields = source.map((variant) => readField(variant, root));
  const nullable = fields.some((field) => field.kind === "null" || (field.kind === "union" && field.nullable));
  const variants = source.flatMap((variant, index) => flattenVariants(variant, fields[index] as Field));
  if (variants.length === 0) {
    return { kind: "null", schema: rest, nullable: false, choices: [], variants: [] };
  }
  const [only] = variants;
  if (variants.length === 1 && only !== undefined) {
    const inner = readField(only, root);
    const schemaOfOne = combineSchemas(inner.schema, rest);
    return schemaOfOne === null
      ? { kind: "json", schema, nullable: false, choices: [], variants: [] }
      : { ...inner, schema: schemaOfOne, nullable: nullable || inner.nullable };
  }
  const constants = variants.map((variant) => readField(variant, root));
  if (
    constants.every((constant) => constant.kind === "choice" && !constant.nullable && constant.choices.length === 1)
  ) {
    const choices = constants.map((constant) => ({
      value: constant.choices[0]?.value ?? null,
      title: toText(constant.schema.title),
    }));
    return { kind: "choice", schema: rest, nullable, choices, variants: [] };
  }
  const complete = variants.map((variant) =>
    hasProperties(rest) ? { allOf: [pickProperties(rest), variant] } : variant,
  );
  return { kind: "union", schema: rest, nullable, choices: [], variants: complete };
}

/** A union inside a union adds its variants to it. */
function flattenVariants(variant: Schema, field: Field): readonly Schema[] {
  return field.kind === "null" ? [] : field.kind === "union" ? field.variants : [variant];
}

/** Properties beside a union belong to each of its variants. */
function hasProperties(schema: Schema): boolean {
  return isObject(schema.properties);
}

function pickProperties(schema: Schema): Schema {
  const { properties, required, additionalProperties } = schema;
  return Object.fromEntries(
    Object.entries({ type: "object", properties, required, additionalProperties }).filter(
      ([, value]) => value !== undefined,
    ),
  );
}

function buildTypedField(schema: Schema, types: readonly string[]): Field {
  const others = types.filter((type) => type !== "null");
  const nullable = others.length < types.length;
  const field = { schema, choices: [], variants: [] };
  const [only] = others;
  if (others.length === 0) {
    return { ...field, nullable: false, kind: nullable ? "null" : "json" };
  }
  if (others.length === 1 && only !== undefined) {
    const prefixCount = toSchemas(schema.prefixItems).length;
    const kind = only === "array" && prefixCount > 0 ? "tuple" : (KINDS[only] ?? "json");
    return { ...field, nullable, kind };
  }
  const { title: _, description: __, default: ___, ...rest } = schema;
  return { ...field, nullable, kind: "union", variants: others.map((type) => ({ ...rest, type })) };
}

function readTypes(schema: Schema): string[] {
  const source = Array.isArray(schema.type) ? schema.type : [schema.type];
  const types = source.filter((type): type is string => typeof type === "string" && TYPE_NAMES.includes(type));
  if (types.length > 0) {
    return types.includes("number") ? types.filter((type) => type !== "integer") : [...new Set(types)];
  }
  if (isObject(schema.properties) || isObject(schema.patternProperties)) {
    return ["object"];
  }
  return isObject(schema.items) || Array.isArray(schema.prefixItems) ? ["array"] : [];
}

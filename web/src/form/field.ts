/**
 * What a JSON Schema says of one field, in the terms of a form.
 *
 * Schemas come from tools and are hostile: references stay inside the document, nothing is run, what makes no sense is
 * passed over, and what a form cannot express becomes the kind "json".
 */

import { fromPlain, type Json } from "../json/lossless";
import { isObject, listOf, type Schema, textOf } from "./keywords";
import { merged, together } from "./merge";

export type Kind =
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

/** One field: a schema with its references followed and its simple compositions merged. */
export interface Field {
  kind: Kind;
  schema: Schema;
  /** Whether null is a choice beside the values of the kind. */
  nullable: boolean;
  /** What is chosen from, for "choice". */
  choices: readonly Choice[];
  /** What is picked from, for "union". */
  variants: readonly Schema[];
}

const MOST_CHOICES = 2000;
const NAMES = ["string", "integer", "number", "boolean", "object", "array", "null"];
const KINDS: Readonly<Record<string, Kind>> = {
  string: "text",
  integer: "integer",
  number: "number",
  boolean: "boolean",
  object: "object",
  array: "list",
  null: "null",
};

const known = new WeakMap<Schema, WeakMap<Schema, Field>>();

/** Reads a schema as a field; `root` is the document that references point into. */
export function fieldOf(schema: Schema, root: Schema): Field {
  const fields = known.get(root) ?? new WeakMap<Schema, Field>();
  known.set(root, fields);
  const found = fields.get(schema);
  if (found !== undefined) {
    return found;
  }
  // A union that has itself as a variant meets this.
  fields.set(schema, { kind: "json", schema, nullable: false, choices: [], variants: [] });
  const field = read(schema, root);
  fields.set(schema, field);
  return field;
}

function read(stated: Schema, root: Schema): Field {
  const schema = merged(stated, root);
  const field = { schema, nullable: false, choices: [], variants: [] };
  if (schema === null || isObject(schema.not)) {
    return { ...field, schema: schema ?? stated, kind: "json" };
  }
  if (Object.hasOwn(schema, "const")) {
    return ofChoices(schema, [schema.const]);
  }
  if (Array.isArray(schema.enum)) {
    return ofChoices(schema, schema.enum);
  }
  const variants = listOf(schema.anyOf ?? schema.oneOf);
  if (variants.length > 0) {
    return schema.anyOf !== undefined && schema.oneOf !== undefined
      ? { ...field, schema, kind: "json" }
      : ofVariants(schema, variants, root);
  }
  return ofTypes(schema, typesOf(schema));
}

function ofChoices(schema: Schema, stated: readonly unknown[]): Field {
  const values = stated.slice(0, MOST_CHOICES).map((value) => fromPlain(value));
  const others = values.filter((value) => value !== null);
  const choices = others.map((value) => ({ value, title: "" }));
  const nullable = others.length < values.length;
  const kind = others.length === 0 ? "null" : "choice";
  return { kind, schema, nullable: nullable && kind === "choice", choices, variants: [] };
}

function ofVariants(schema: Schema, stated: readonly Schema[], root: Schema): Field {
  const { anyOf: _, oneOf: __, ...rest } = schema;
  const fields = stated.map((variant) => fieldOf(variant, root));
  const nullable = fields.some((field) => field.kind === "null" || (field.kind === "union" && field.nullable));
  const variants = stated.flatMap((variant, index) => flat(variant, fields[index] as Field));
  if (variants.length === 0) {
    return { kind: "null", schema: rest, nullable: false, choices: [], variants: [] };
  }
  const [only] = variants;
  if (variants.length === 1 && only !== undefined) {
    const found = fieldOf(only, root);
    const schemaOfOne = together(found.schema, rest);
    return schemaOfOne === null
      ? { kind: "json", schema, nullable: false, choices: [], variants: [] }
      : { ...found, schema: schemaOfOne, nullable: nullable || found.nullable };
  }
  const constants = variants.map((variant) => fieldOf(variant, root));
  if (constants.every((one) => one.kind === "choice" && !one.nullable && one.choices.length === 1)) {
    const choices = constants.map((one) => ({ value: one.choices[0]?.value ?? null, title: textOf(one.schema.title) }));
    return { kind: "choice", schema: rest, nullable, choices, variants: [] };
  }
  const complete = variants.map((variant) => (hasFields(rest) ? { allOf: [fieldsOnly(rest), variant] } : variant));
  return { kind: "union", schema: rest, nullable, choices: [], variants: complete };
}

/** A union inside a union adds its variants to it. */
function flat(variant: Schema, field: Field): readonly Schema[] {
  return field.kind === "null" ? [] : field.kind === "union" ? field.variants : [variant];
}

/** Fields that are stated beside a union belong to each of its variants. */
function hasFields(schema: Schema): boolean {
  return isObject(schema.properties);
}

function fieldsOnly(schema: Schema): Schema {
  const { properties, required, additionalProperties } = schema;
  return Object.fromEntries(
    Object.entries({ type: "object", properties, required, additionalProperties }).filter(
      ([, value]) => value !== undefined,
    ),
  );
}

function ofTypes(schema: Schema, types: readonly string[]): Field {
  const others = types.filter((type) => type !== "null");
  const nullable = others.length < types.length;
  const field = { schema, choices: [], variants: [] };
  const [only] = others;
  if (others.length === 0) {
    return { ...field, nullable: false, kind: nullable ? "null" : "json" };
  }
  if (others.length === 1 && only !== undefined) {
    const places = listOf(schema.prefixItems).length;
    const kind = only === "array" && places > 0 ? "tuple" : (KINDS[only] ?? "json");
    return { ...field, nullable, kind };
  }
  const { title: _, description: __, default: ___, ...rest } = schema;
  return { ...field, nullable, kind: "union", variants: others.map((type) => ({ ...rest, type })) };
}

function typesOf(schema: Schema): string[] {
  const stated = Array.isArray(schema.type) ? schema.type : [schema.type];
  const types = stated.filter((type): type is string => typeof type === "string" && NAMES.includes(type));
  if (types.length > 0) {
    return types.includes("number") ? types.filter((type) => type !== "integer") : [...new Set(types)];
  }
  if (isObject(schema.properties) || isObject(schema.patternProperties)) {
    return ["object"];
  }
  return isObject(schema.items) || Array.isArray(schema.prefixItems) ? ["array"] : [];
}

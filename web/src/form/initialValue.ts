/** The initial value of a field when it is set. */

import type { Json } from "../json/lossless";
import type { Path } from "../json/path";
import { readField } from "./field";
import { readItemSchema, readProperties, readRequired, type Schema, toSchemas } from "./keywords";

export interface InitialValue {
  /** The value; null at the unfilled paths. */
  value: Json;
  /** The paths that are still to be filled. */
  unfilled: readonly Path[];
}

const MAX_DEPTH = 4;
const MAX_OBJECTS = 60;
const UNFILLED: InitialValue = { value: null, unfilled: [[]] };

/** Creates required objects and lists and sets constants; the rest is unset. */
export function createInitialValue(
  schema: Schema,
  root: Schema,
  depth = 0,
  budget = { left: MAX_OBJECTS },
): InitialValue {
  const field = readField(schema, root);
  switch (field.kind) {
    case "text":
      return { value: "", unfilled: [] };
    case "choice":
      return field.choices.length === 1 && !field.nullable
        ? { value: field.choices[0]?.value ?? null, unfilled: [] }
        : UNFILLED;
    case "object":
      return createObject(field.schema, root, depth, budget);
    case "list":
      return { value: [], unfilled: [] };
    case "tuple":
      return createTuple(field.schema, root, depth, budget);
    case "union":
      return createInitialValue(field.variants[0] as Schema, root, depth + 1, budget);
    case "null":
      return { value: null, unfilled: [] };
    default:
      return UNFILLED;
  }
}

function createObject(schema: Schema, root: Schema, depth: number, budget: { left: number }): InitialValue {
  const required = readRequired(schema);
  budget.left -= 1;
  const value = new Map<string, Json>();
  const unfilled: Path[] = [];
  for (const [name, property] of readProperties(schema)) {
    if (required.has(name) && depth < MAX_DEPTH && budget.left > 0 && hasInitialValue(property, root)) {
      const inner = createInitialValue(property, root, depth + 1, budget);
      value.set(name, inner.value);
      unfilled.push(...inner.unfilled.map((path) => [name, ...path]));
    }
  }
  return { value, unfilled };
}

/** Whether a required field needs no input: it is a constant, or a container of fields. */
export function hasInitialValue(schema: Schema, root: Schema): boolean {
  const field = readField(schema, root);
  if (field.nullable) {
    return false;
  }
  return field.kind === "choice"
    ? field.choices.length === 1
    : ["object", "list", "tuple", "null"].includes(field.kind);
}

function createTuple(schema: Schema, root: Schema, depth: number, budget: { left: number }): InitialValue {
  const places = toSchemas(schema.prefixItems);
  const seeds = places.map((_, index) =>
    createInitialValue(readItemSchema(schema, index) ?? {}, root, depth + 1, budget),
  );
  return {
    value: seeds.map((seed) => seed.value),
    unfilled: seeds.flatMap((seed, index) => seed.unfilled.map((path) => [index, ...path])),
  };
}

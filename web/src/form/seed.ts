/** What a place holds when it is newly set. */

import type { Json } from "../json/lossless";
import type { Path } from "../json/path";
import { fieldOf } from "./field";
import { itemOf, listOf, propertiesOf, requiredOf, type Schema } from "./keywords";

export interface Seed {
  /** The value; null stands at the places that are still to be filled. */
  value: Json;
  /** The places that are still to be filled. */
  empty: readonly Path[];
}

const DEEPEST = 4;
const MOST_OBJECTS = 60;
const TO_FILL: Seed = { value: null, empty: [[]] };

/** A fresh value: required objects and lists are there, what has only one possible value has it, the rest is unset. */
export function seed(schema: Schema, root: Schema, depth = 0, effort = { left: MOST_OBJECTS }): Seed {
  const field = fieldOf(schema, root);
  switch (field.kind) {
    case "text":
      return { value: "", empty: [] };
    case "choice":
      return field.choices.length === 1 && !field.nullable
        ? { value: field.choices[0]?.value ?? null, empty: [] }
        : TO_FILL;
    case "object":
      return ofObject(field.schema, root, depth, effort);
    case "list":
      return { value: [], empty: [] };
    case "tuple":
      return ofTuple(field.schema, root, depth, effort);
    case "union":
      return seed(field.variants[0] as Schema, root, depth + 1, effort);
    case "null":
      return { value: null, empty: [] };
    default:
      return TO_FILL;
  }
}

function ofObject(schema: Schema, root: Schema, depth: number, effort: { left: number }): Seed {
  const required = requiredOf(schema);
  effort.left -= 1;
  const value = new Map<string, Json>();
  const empty: Path[] = [];
  for (const [name, property] of propertiesOf(schema)) {
    if (required.has(name) && depth < DEEPEST && effort.left > 0 && standsByItself(property, root)) {
      const inner = seed(property, root, depth + 1, effort);
      value.set(name, inner.value);
      empty.push(...inner.empty.map((path) => [name, ...path]));
    }
  }
  return { value, empty };
}

/** Whether a required field needs nobody to set it: it has one possible value, or is a container of fields. */
export function standsByItself(schema: Schema, root: Schema): boolean {
  const field = fieldOf(schema, root);
  if (field.nullable) {
    return false;
  }
  return field.kind === "choice"
    ? field.choices.length === 1
    : ["object", "list", "tuple", "null"].includes(field.kind);
}

function ofTuple(schema: Schema, root: Schema, depth: number, effort: { left: number }): Seed {
  const places = listOf(schema.prefixItems);
  const seeds = places.map((_, index) => seed(itemOf(schema, index) ?? {}, root, depth + 1, effort));
  return {
    value: seeds.map((one) => one.value),
    empty: seeds.flatMap((one, index) => one.empty.map((path) => [index, ...path])),
  };
}

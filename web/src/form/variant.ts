/** Which variant of a union a value is, and what of a value still fits another one. */

import { isNumber, type Json, textOf as numberText, readNumber, same } from "../json/lossless";
import { type Field, fieldOf } from "./field";
import { extraOf, itemOf, propertiesOf, requiredOf, type Schema } from "./keywords";
import { type Seed, seed } from "./seed";

const MOST_ITEMS = 50;
const DEEPEST = 12;
const MOST_EFFORT = 20_000;

/** Whether a value can be shown by the widgets of a field's kind. */
export function suits(value: Json, field: Field): boolean {
  if (value === null) {
    return field.nullable || field.kind === "null" || field.kind === "json";
  }
  switch (field.kind) {
    case "text":
      return typeof value === "string";
    case "integer":
    case "number":
      return isNumber(value);
    case "boolean":
      return typeof value === "boolean";
    case "choice":
      return field.choices.some((choice) => same(choice.value, value));
    case "object":
      return value instanceof Map;
    case "list":
    case "tuple":
      return Array.isArray(value);
    case "union":
    case "json":
      return true;
    case "null":
      return false;
  }
}

/** How well a value fits: 0 not at all, 1 wholly, between them by what of it is known. */
export function fitness(value: Json, schema: Schema, root: Schema, effort = { left: MOST_EFFORT }, depth = 0): number {
  const field = fieldOf(schema, root);
  effort.left -= 1;
  if (!suits(value, field)) {
    return 0;
  }
  if (value === null || depth > DEEPEST || effort.left < 0) {
    return 1;
  }
  if (field.kind === "union") {
    return Math.max(...field.variants.map((variant) => fitness(value, variant, root, effort, depth + 1)));
  }
  if (value instanceof Map && field.kind === "object") {
    return objectFit(value, field.schema, root, effort, depth);
  }
  if (Array.isArray(value) && (field.kind === "list" || field.kind === "tuple")) {
    return mean(
      value.slice(0, MOST_ITEMS).map((item, index) => {
        const schemaOfItem = itemOf(field.schema, index);
        return schemaOfItem === null ? 0 : fitness(item, schemaOfItem, root, effort, depth + 1);
      }),
    );
  }
  return field.kind === "integer" && isNumber(value) && !Number.isInteger(Number(numberText(value))) ? 0.5 : 1;
}

function objectFit(
  value: ReadonlyMap<string, Json>,
  schema: Schema,
  root: Schema,
  effort: { left: number },
  depth: number,
): number {
  const properties = new Map(propertiesOf(schema));
  const extra = extraOf(schema);
  const scores: number[] = [];
  for (const [name, item] of value) {
    const property = properties.get(name) ?? extra;
    const score = property === null ? 0 : fitness(item, property, root, effort, depth + 1);
    if (score === 0 && property !== null && isTag(property, root)) {
      return 0.01;
    }
    scores.push(score);
  }
  for (const name of requiredOf(schema)) {
    if (!value.has(name)) {
      scores.push(0);
    }
  }
  return mean(scores);
}

/** An object that fits badly is still an object: the mean never falls to 0. */
function mean(scores: readonly number[]): number {
  return scores.length === 0 ? 1 : 0.02 + 0.98 * (scores.reduce((sum, one) => sum + one, 0) / scores.length);
}

function isTag(schema: Schema, root: Schema): boolean {
  const field = fieldOf(schema, root);
  return field.kind === "choice" && field.choices.length === 1;
}

/** The variant that a value fits best; the first of equals. */
export function variantOf(value: Json, field: Field, root: Schema): number {
  let best = 0;
  let most = 0;
  for (const [index, variant] of field.variants.entries()) {
    const score = fitness(value, variant, root);
    if (score > most) {
      [best, most] = [index, score];
    }
  }
  return best;
}

/** What of a value still fits another variant, on top of what is fresh there. */
export function carried(value: Json | undefined, schema: Schema, root: Schema): Seed {
  const field = fieldOf(schema, root);
  const fresh = seed(schema, root, 1);
  if (value === undefined || value === null) {
    return fresh;
  }
  if (value instanceof Map && field.kind === "object" && fresh.value instanceof Map) {
    return { ...fresh, value: carriedFields(value, fresh.value, field.schema, root) };
  }
  if (fitness(value, schema, root) === 1) {
    return { value, empty: [] };
  }
  if (field.kind === "text" && isNumber(value)) {
    return { value: numberText(value), empty: [] };
  }
  if ((field.kind === "number" || field.kind === "integer") && typeof value === "string") {
    const number = readNumber(value.trim());
    return number === null ? fresh : { value: number, empty: [] };
  }
  return fresh;
}

function carriedFields(value: ReadonlyMap<string, Json>, fresh: Map<string, Json>, schema: Schema, root: Schema): Json {
  const properties = propertiesOf(schema);
  const extra = extraOf(schema);
  const kept = new Map<string, Json>();
  for (const [name, property] of properties) {
    const item = value.get(name);
    const before = fresh.get(name);
    if (item !== undefined && fitness(item, property, root) === 1) {
      kept.set(name, item);
    } else if (before !== undefined) {
      kept.set(name, before);
    }
  }
  for (const [name, item] of value) {
    if (extra !== null && !properties.some(([known]) => known === name) && fitness(item, extra, root) === 1) {
      kept.set(name, item);
    }
  }
  return kept;
}

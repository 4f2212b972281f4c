/** Finds the variant of a union that a value matches, and converts values between variants. */

import { formatNumber, isEqual, isNumber, type Json, parseNumber } from "../json/lossless";
import { type Field, readField } from "./field";
import { createInitialValue, type InitialValue } from "./initialValue";
import { readExtraSchema, readItemSchema, readProperties, readRequired, type Schema } from "./keywords";

const MAX_ITEMS = 50;
const MAX_DEPTH = 12;
const MAX_STEPS = 20_000;

/** Whether a value can be shown by the widgets of a field's kind. */
export function isOfKind(value: Json, field: Field): boolean {
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
      return field.choices.some((choice) => isEqual(choice.value, value));
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

/** How well a value matches: 0 not at all, 1 fully, in between by the share of known parts. */
export function scoreMatch(value: Json, schema: Schema, root: Schema, budget = { left: MAX_STEPS }, depth = 0): number {
  const field = readField(schema, root);
  budget.left -= 1;
  if (!isOfKind(value, field)) {
    return 0;
  }
  if (value === null || depth > MAX_DEPTH || budget.left < 0) {
    return 1;
  }
  if (field.kind === "union") {
    return Math.max(...field.variants.map((variant) => scoreMatch(value, variant, root, budget, depth + 1)));
  }
  if (value instanceof Map && field.kind === "object") {
    return scoreObject(value, field.schema, root, budget, depth);
  }
  if (Array.isArray(value) && (field.kind === "list" || field.kind === "tuple")) {
    return averageScore(
      value.slice(0, MAX_ITEMS).map((item, index) => {
        const schemaOfItem = readItemSchema(field.schema, index);
        return schemaOfItem === null ? 0 : scoreMatch(item, schemaOfItem, root, budget, depth + 1);
      }),
    );
  }
  return field.kind === "integer" && isNumber(value) && !Number.isInteger(Number(formatNumber(value))) ? 0.5 : 1;
}

function scoreObject(
  value: ReadonlyMap<string, Json>,
  schema: Schema,
  root: Schema,
  budget: { left: number },
  depth: number,
): number {
  const properties = new Map(readProperties(schema));
  const extra = readExtraSchema(schema);
  const scores: number[] = [];
  for (const [name, item] of value) {
    const property = properties.get(name) ?? extra;
    const score = property === null ? 0 : scoreMatch(item, property, root, budget, depth + 1);
    if (score === 0 && property !== null && isConstant(property, root)) {
      return 0.01;
    }
    scores.push(score);
  }
  for (const name of readRequired(schema)) {
    if (!value.has(name)) {
      scores.push(0);
    }
  }
  return averageScore(scores);
}

/** An object that matches badly is still an object, so the mean stays above 0. */
function averageScore(scores: readonly number[]): number {
  return scores.length === 0 ? 1 : 0.02 + 0.98 * (scores.reduce((sum, score) => sum + score, 0) / scores.length);
}

function isConstant(schema: Schema, root: Schema): boolean {
  const field = readField(schema, root);
  return field.kind === "choice" && field.choices.length === 1;
}

/** The variant that a value matches best; the first of equals. */
export function findVariant(value: Json, field: Field, root: Schema): number {
  let best = 0;
  let most = 0;
  for (const [index, variant] of field.variants.entries()) {
    const score = scoreMatch(value, variant, root);
    if (score > most) {
      [best, most] = [index, score];
    }
  }
  return best;
}

/** Keeps what matches another variant, on top of its initial value. */
export function convertValue(value: Json | undefined, schema: Schema, root: Schema): InitialValue {
  const field = readField(schema, root);
  const fresh = createInitialValue(schema, root, 1);
  if (value === undefined || value === null) {
    return fresh;
  }
  if (value instanceof Map && field.kind === "object" && fresh.value instanceof Map) {
    return { ...fresh, value: convertFields(value, fresh.value, field.schema, root) };
  }
  if (scoreMatch(value, schema, root) === 1) {
    return { value, unfilled: [] };
  }
  if (field.kind === "text" && isNumber(value)) {
    return { value: formatNumber(value), unfilled: [] };
  }
  if ((field.kind === "number" || field.kind === "integer") && typeof value === "string") {
    const number = parseNumber(value.trim());
    return number === null ? fresh : { value: number, unfilled: [] };
  }
  return fresh;
}

function convertFields(value: ReadonlyMap<string, Json>, fresh: Map<string, Json>, schema: Schema, root: Schema): Json {
  const properties = readProperties(schema);
  const extra = readExtraSchema(schema);
  const converted = new Map<string, Json>();
  for (const [name, property] of properties) {
    const item = value.get(name);
    const before = fresh.get(name);
    if (item !== undefined && scoreMatch(item, property, root) === 1) {
      converted.set(name, item);
    } else if (before !== undefined) {
      converted.set(name, before);
    }
  }
  for (const [name, item] of value) {
    if (extra !== null && !properties.some(([known]) => known === name) && scoreMatch(item, extra, root) === 1) {
      converted.set(name, item);
    }
  }
  return converted;
}

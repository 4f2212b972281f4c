/** JSON values that lose nothing: numbers keep their digits, objects keep the order of their keys. */

/** A number whose text JavaScript would print differently, such as 5.0 or 12345678901234567890. */
export class ExactNumber {
  constructor(readonly text: string) {}
}

/** An object is a Map: it keeps the order of keys like "10", and `__proto__` is a key like any other. */
export type JsonObject = Map<string, Json>;
export type Json = null | boolean | string | number | ExactNumber | Json[] | JsonObject;

const MAX_DEPTH = 400;

/** Converts plain JavaScript values, such as a schema's default, to lossless JSON. */
export function fromPlain(value: unknown, depth = 0): Json {
  if (value === null || typeof value === "boolean" || typeof value === "string" || value instanceof ExactNumber) {
    return value;
  }
  if (typeof value === "number") {
    return Number.isFinite(value) ? (Object.is(value, -0) ? new ExactNumber("-0") : value) : null;
  }
  if (typeof value !== "object" || depth > MAX_DEPTH) {
    return null;
  }
  if (Array.isArray(value)) {
    return value.map((item) => fromPlain(item, depth + 1));
  }
  const entries = value instanceof Map ? [...(value as JsonObject)] : Object.entries(value);
  return new Map(entries.map(([key, item]) => [key, fromPlain(item, depth + 1)]));
}

/** Whether two values are the same JSON: 1 and 1.0 are, the order of keys does not matter. */
export function isEqual(left: Json, right: Json): boolean {
  if (isNumber(left) && isNumber(right)) {
    return isEqualNumber(formatNumber(left), formatNumber(right));
  }
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === right.length && left.every((item, index) => isEqual(item, right[index] as Json));
  }
  if (left instanceof Map && right instanceof Map) {
    return (
      left.size === right.size &&
      [...left].every(([key, item]) => right.has(key) && isEqual(item, right.get(key) as Json))
    );
  }
  return left === right;
}

function isEqualNumber(left: string, right: string): boolean {
  const integer = /^-?\d+$/;
  const areIntegers = integer.test(left) && integer.test(right);
  return left === right || (areIntegers ? BigInt(left) === BigInt(right) : Number(left) === Number(right));
}

export function isNumber(value: Json | undefined): value is number | ExactNumber {
  return typeof value === "number" || value instanceof ExactNumber;
}

/** The number's digits as they were read. */
export function formatNumber(number: number | ExactNumber): string {
  return number instanceof ExactNumber ? number.text : String(number);
}

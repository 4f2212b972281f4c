/** JSON values that lose nothing: numbers keep their digits, objects keep the order of their keys. */

/** A number whose text JavaScript would print differently, such as 5.0 or 12345678901234567890. */
export class Num {
  constructor(readonly text: string) {}
}

/** An object is a Map: it keeps the order of keys like "10", and `__proto__` is a key like any other. */
export type JsonObject = Map<string, Json>;
export type Json = null | boolean | string | number | Num | Json[] | JsonObject;

const DEEPEST = 400;

/** What JavaScript holds as plain objects and numbers, such as a schema's default, as lossless JSON. */
export function fromPlain(value: unknown, depth = 0): Json {
  if (value === null || typeof value === "boolean" || typeof value === "string" || value instanceof Num) {
    return value;
  }
  if (typeof value === "number") {
    return Number.isFinite(value) ? (Object.is(value, -0) ? new Num("-0") : value) : null;
  }
  if (typeof value !== "object" || depth > DEEPEST) {
    return null;
  }
  if (Array.isArray(value)) {
    return value.map((item) => fromPlain(item, depth + 1));
  }
  const entries = value instanceof Map ? [...(value as JsonObject)] : Object.entries(value);
  return new Map(entries.map(([key, item]) => [key, fromPlain(item, depth + 1)]));
}

/** Whether two values are the same JSON: 1 and 1.0 are, the order of keys does not matter. */
export function same(one: Json, other: Json): boolean {
  if (isNumber(one) && isNumber(other)) {
    return sameNumber(textOf(one), textOf(other));
  }
  if (Array.isArray(one) && Array.isArray(other)) {
    return one.length === other.length && one.every((item, index) => same(item, other[index] as Json));
  }
  if (one instanceof Map && other instanceof Map) {
    return (
      one.size === other.size && [...one].every(([key, item]) => other.has(key) && same(item, other.get(key) as Json))
    );
  }
  return one === other;
}

function sameNumber(one: string, other: string): boolean {
  const whole = /^-?\d+$/;
  const areWhole = whole.test(one) && whole.test(other);
  return one === other || (areWhole ? BigInt(one) === BigInt(other) : Number(one) === Number(other));
}

export function isNumber(value: Json | undefined): value is number | Num {
  return typeof value === "number" || value instanceof Num;
}

/** How a number is written. */
export function textOf(number: number | Num): string {
  return number instanceof Num ? number.text : String(number);
}

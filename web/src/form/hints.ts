/** Hints from a field's schema beside its type: bounds, pattern, format, default. */

import { fromPlain, type Json, stringify } from "../json/lossless";
import type { Field } from "./field";
import { type Schema, toText } from "./keywords";

const FORMATS: Readonly<Record<string, string>> = {
  date: "2026-01-31",
  "date-time": "2026-01-31T18:30:00+01:00",
  time: "18:30:00",
  duration: "P1DT2H30M",
  uuid: "123e4567-e89b-12d3-a456-426614174000",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  email: "name@example.org",
  uri: "https://example.org",
};

/** The bounds and the pattern, in words. A pattern is never run: a hostile one could take forever. */
export function describeBounds(schema: Schema): string[] {
  const bounds = [
    describeRange(formatBound(schema.minimum), formatBound(schema.maximum), ""),
    describeLimit(schema.exclusiveMinimum, "more than"),
    describeLimit(schema.exclusiveMaximum, "less than"),
    describeLimit(schema.multipleOf, "multiple of"),
    describeRange(formatBound(schema.minLength), formatBound(schema.maxLength), "characters"),
    describeRange(formatBound(schema.minItems), formatBound(schema.maxItems), "items"),
    describeRange(formatBound(schema.minProperties), formatBound(schema.maxProperties), "keys"),
    schema.uniqueItems === true ? "each once" : "",
    toText(schema.pattern) === "" ? "" : `pattern ${truncate(toText(schema.pattern), 60)}`,
  ];
  return bounds.filter((text) => text !== "");
}

function formatBound(value: unknown): string {
  return typeof value === "number" ? String(value) : "";
}

function describeLimit(value: unknown, words: string): string {
  return typeof value === "number" ? `${words} ${value}` : "";
}

function describeRange(least: string, most: string, unit: string): string {
  const words = least === "" && most === "" ? "" : formatRange(least, most);
  const singular = words.endsWith(" 1") ? unit.replace(/s$/, "") : unit;
  return words === "" || unit === "" ? words : `${words} ${singular}`;
}

function formatRange(least: string, most: string): string {
  if (least === most) {
    return `exactly ${least}`;
  }
  if (least === "" || most === "") {
    return least === "" ? `at most ${most}` : `at least ${least}`;
  }
  return `${least} to ${most}`;
}

/** An example of the field's format. */
export function findExample(field: Field): string {
  const format = toText(field.schema.format);
  return Object.hasOwn(FORMATS, format) ? (FORMATS[format] ?? "") : "";
}

/** The schema's default; undefined if there is none. */
export function readDefault(schema: Schema): Json | undefined {
  return Object.hasOwn(schema, "default") ? fromPlain(schema.default) : undefined;
}

/** The placeholder of an unset field. */
export function describeUnset(schema: Schema): string {
  const value = readDefault(schema);
  return value === undefined ? "unset" : `default ${truncate(stringify(value), 60)}`;
}

/** The title, if it says more than the field's name. */
export function findDistinctTitle(schema: Schema, name: string): string {
  const title = toText(schema.title);
  const plain = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
  return plain(title) === plain(name) ? "" : title;
}

function truncate(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

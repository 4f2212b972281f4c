/** What a field's schema says beside its type, for a quiet line: bounds, pattern, format, default. */

import { fromPlain, type Json, stringify } from "../json/lossless";
import type { Field } from "./field";
import { type Schema, textOf } from "./keywords";

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

/** The bounds and the pattern, in words. A pattern is only shown: a hostile one would take forever to run. */
export function boundsOf(schema: Schema): string[] {
  const found = [
    range(numberOf(schema.minimum), numberOf(schema.maximum), ""),
    above(schema.exclusiveMinimum, "more than"),
    above(schema.exclusiveMaximum, "less than"),
    above(schema.multipleOf, "multiple of"),
    range(numberOf(schema.minLength), numberOf(schema.maxLength), "characters"),
    range(numberOf(schema.minItems), numberOf(schema.maxItems), "items"),
    range(numberOf(schema.minProperties), numberOf(schema.maxProperties), "keys"),
    schema.uniqueItems === true ? "each once" : "",
    textOf(schema.pattern) === "" ? "" : `pattern ${cut(textOf(schema.pattern), 60)}`,
  ];
  return found.filter((text) => text !== "");
}

function numberOf(value: unknown): string {
  return typeof value === "number" ? String(value) : "";
}

function above(value: unknown, words: string): string {
  return typeof value === "number" ? `${words} ${value}` : "";
}

function range(least: string, most: string, unit: string): string {
  const words = least === "" && most === "" ? "" : bounded(least, most);
  const one = words.endsWith(" 1") ? unit.replace(/s$/, "") : unit;
  return words === "" || unit === "" ? words : `${words} ${one}`;
}

function bounded(least: string, most: string): string {
  if (least === most) {
    return `exactly ${least}`;
  }
  if (least === "" || most === "") {
    return least === "" ? `at most ${most}` : `at least ${least}`;
  }
  return `${least} to ${most}`;
}

/** An example of the field's format, for one who has to type it. */
export function exampleOf(field: Field): string {
  const format = textOf(field.schema.format);
  return Object.hasOwn(FORMATS, format) ? (FORMATS[format] ?? "") : "";
}

/** The value that the tool takes if nothing is sent; undefined if the schema states none. */
export function defaultOf(schema: Schema): Json | undefined {
  return Object.hasOwn(schema, "default") ? fromPlain(schema.default) : undefined;
}

/** What stands in a field that is unset. */
export function unsetText(schema: Schema): string {
  const found = defaultOf(schema);
  return found === undefined ? "unset" : `default ${cut(stringify(found), 60)}`;
}

/** A title that says more than the field's name. */
export function titleOf(schema: Schema, name: string): string {
  const title = textOf(schema.title);
  const plain = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, "");
  return plain(title) === plain(name) ? "" : title;
}

function cut(text: string, most: number): string {
  return text.length > most ? `${text.slice(0, most - 1)}…` : text;
}

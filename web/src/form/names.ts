/** What fields and variants are called, in a few words. */

import { stringify } from "../json/lossless";
import { type Field, fieldOf, type Kind } from "./field";
import { titleOf } from "./hints";
import { extraOf, itemOf, propertiesOf, type Schema, textOf } from "./keywords";

const LONGEST_NAME = 80;
const WORDS: Readonly<Record<Kind, string>> = {
  text: "text",
  integer: "integer",
  number: "number",
  boolean: "true or false",
  choice: "choice",
  object: "object",
  list: "list",
  tuple: "list",
  union: "either",
  null: "null",
  json: "JSON",
};

/** What a field takes, in a few words; `name` is what it is called already. */
export function typeName(field: Field, root: Schema, name = "", depth = 0): string {
  const bare = bareName(field, root, name, depth);
  const words = bare.length > LONGEST_NAME ? `${bare.slice(0, LONGEST_NAME)}…` : bare;
  return field.nullable ? `${words} or null` : words;
}

function bareName(field: Field, root: Schema, name: string, depth: number): string {
  if (field.kind === "union" && depth < 2) {
    return variantNames(field, root).join(" or ");
  }
  if (field.kind === "list" && depth < 2) {
    const item = itemOf(field.schema, 0);
    const inner = item === null ? null : fieldOf(item, root);
    return inner === null || inner.kind === "json" ? "list" : `list of ${typeName(inner, root, name, depth + 1)}`;
  }
  const named = field.kind === "object" || (field.kind === "choice" && depth > 0) ? titleOf(field.schema, name) : "";
  if (named !== "") {
    return named;
  }
  const extra = field.kind === "object" && propertiesOf(field.schema).length === 0 ? extraOf(field.schema) : null;
  if (extra !== null && depth < 2) {
    const inner = fieldOf(extra, root);
    return inner.kind === "json" ? "map" : `map of ${typeName(inner, root, name, depth + 1)}`;
  }
  if (field.kind === "choice") {
    return field.choices.length === 1 ? "constant" : "choice";
  }
  if (field.kind === "text") {
    return formatName(textOf(field.schema.format)) || "text";
  }
  return WORDS[field.kind];
}

function formatName(format: string): string {
  return format === "date-time" ? "date and time" : format === "int64" ? "" : format.slice(0, 30);
}

/** What the variants of a union are called; all names differ. */
export function variantNames(field: Field, root: Schema): string[] {
  const names = field.variants.map((variant) => variantName(variant, root));
  return names.map((name, index) => {
    if (names.indexOf(name) === names.lastIndexOf(name)) {
      return name;
    }
    const tag = tagOf(fieldOf(field.variants[index] as Schema, root), root);
    return tag === "" || tag === name ? `${name} ${index + 1}` : `${name} (${tag})`;
  });
}

function variantName(variant: Schema, root: Schema): string {
  const field = fieldOf(variant, root);
  const title = textOf(field.schema.title);
  if (title !== "") {
    return title;
  }
  const tag = tagOf(field, root);
  if (tag !== "") {
    return tag;
  }
  if (field.kind === "choice" && field.choices.length <= 3) {
    return field.choices
      .map((choice) => stringify(choice.value))
      .join(" or ")
      .slice(0, 40);
  }
  const reference = textOf(variant.$ref).split("/").at(-1) ?? "";
  return field.kind === "object" && reference !== "" ? reference : typeName(field, root, "", 1);
}

/** The constant by which an object says what it is. */
function tagOf(field: Field, root: Schema): string {
  if (field.kind !== "object") {
    return "";
  }
  for (const [, property] of propertiesOf(field.schema)) {
    const [only, second] = fieldOf(property, root).choices;
    if (only !== undefined && second === undefined && typeof only.value === "string") {
      return only.value;
    }
  }
  return "";
}

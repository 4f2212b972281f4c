/** Names of types and variants for people. */

import { stringify } from "../json/lossless";
import { type Field, type FieldKind, readField } from "./field";
import { findDistinctTitle } from "./hints";
import { readExtraSchema, readItemSchema, readProperties, type Schema, toText } from "./keywords";

const MAX_NAME = 80;
const KIND_LABELS: Readonly<Record<FieldKind, string>> = {
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

/** The field's type in a few words; a title equal to `name` is not repeated. */
export function describeType(field: Field, root: Schema, name = "", depth = 0): string {
  const bare = describeBareType(field, root, name, depth);
  const words = bare.length > MAX_NAME ? `${bare.slice(0, MAX_NAME)}…` : bare;
  return field.nullable ? `${words} or null` : words;
}

function describeBareType(field: Field, root: Schema, name: string, depth: number): string {
  if (field.kind === "union" && depth < 2) {
    return nameVariants(field, root).join(" or ");
  }
  if (field.kind === "list" && depth < 2) {
    const item = readItemSchema(field.schema, 0);
    const inner = item === null ? null : readField(item, root);
    return inner === null || inner.kind === "json" ? "list" : `list of ${describeType(inner, root, name, depth + 1)}`;
  }
  const title =
    field.kind === "object" || (field.kind === "choice" && depth > 0) ? findDistinctTitle(field.schema, name) : "";
  if (title !== "") {
    return title;
  }
  const extra =
    field.kind === "object" && readProperties(field.schema).length === 0 ? readExtraSchema(field.schema) : null;
  if (extra !== null && depth < 2) {
    const inner = readField(extra, root);
    return inner.kind === "json" ? "map" : `map of ${describeType(inner, root, name, depth + 1)}`;
  }
  if (field.kind === "choice") {
    return field.choices.length === 1 ? "constant" : "choice";
  }
  if (field.kind === "text") {
    return nameFormat(toText(field.schema.format)) || "text";
  }
  return KIND_LABELS[field.kind];
}

function nameFormat(format: string): string {
  return format === "date-time" ? "date and time" : format === "int64" ? "" : format.slice(0, 30);
}

/** The names of a union's variants; all differ. */
export function nameVariants(field: Field, root: Schema): string[] {
  const names = field.variants.map((variant) => nameVariant(variant, root));
  return names.map((name, index) => {
    if (names.indexOf(name) === names.lastIndexOf(name)) {
      return name;
    }
    const tag = findTag(readField(field.variants[index] as Schema, root), root);
    return tag === "" || tag === name ? `${name} ${index + 1}` : `${name} (${tag})`;
  });
}

function nameVariant(variant: Schema, root: Schema): string {
  const field = readField(variant, root);
  const title = toText(field.schema.title);
  if (title !== "") {
    return title;
  }
  const tag = findTag(field, root);
  if (tag !== "") {
    return tag;
  }
  if (field.kind === "choice" && field.choices.length <= 3) {
    return field.choices
      .map((choice) => stringify(choice.value))
      .join(" or ")
      .slice(0, 40);
  }
  const reference = toText(variant.$ref).split("/").at(-1) ?? "";
  return field.kind === "object" && reference !== "" ? reference : describeType(field, root, "", 1);
}

/** The constant that discriminates an object's variant. */
function findTag(field: Field, root: Schema): string {
  if (field.kind !== "object") {
    return "";
  }
  for (const [, property] of readProperties(field.schema)) {
    const [only, second] = readField(property, root).choices;
    if (only !== undefined && second === undefined && typeof only.value === "string") {
      return only.value;
    }
  }
  return "";
}

/** What is wrong with a draft that can be told without the server: unreadable texts and missing fields. */

import { type Json, JsonError, parse, stringify } from "../json/lossless";
import { dotted, type Path, pointer } from "../json/path";
import { type FormDraft, readable } from "./draft";
import { type Field, fieldOf } from "./field";
import { itemOf, propertiesOf, requiredOf, type Schema } from "./keywords";
import { variantOf } from "./variant";

/** The same shape as the server's. */
export interface Problem {
  path: string;
  message: string;
}

export interface Sendable {
  /** The value as JSON text; null if something typed cannot be read, so that nothing can be sent. */
  text: string | null;
  problems: Problem[];
}

const MISSING = "is missing";
const DEEPEST = 40;

/** The JSON text to send, and what is known to be wrong with it. */
export function draftToJson(draft: FormDraft, schema: Schema): Sendable {
  if (draft.raw !== null) {
    return rawToJson(draft.raw, schema);
  }
  const problems: Problem[] = [];
  const unread = look(draft, schema, problems);
  const keys = Object.keys(draft.texts).filter((key) => key.endsWith("#key"));
  const blocked = unread || keys.length > 0;
  return { text: blocked || draft.value === undefined ? null : stringify(draft.value), problems };
}

function rawToJson(raw: string, schema: Schema): Sendable {
  try {
    const value = parse(raw);
    return draftToJson({ value, texts: {}, variants: {}, open: {}, left: {}, raw: null }, schema);
  } catch (error) {
    if (!(error instanceof JsonError)) {
      throw error;
    }
    const message = raw.trim() === "" ? MISSING : `is not JSON: ${error.message}`;
    return { text: null, problems: [{ path: "", message }] };
  }
}

/** Collects the problems in the schema's order; says whether a text cannot be read. */
function look(draft: FormDraft, root: Schema, problems: Problem[]): boolean {
  let unread = false;

  function visit(value: Json | undefined, schema: Schema, path: Path): void {
    const field = fieldOf(schema, root);
    const typed = draft.texts[pointer(path)];
    if (typed !== undefined && readable(typed) === undefined) {
      unread = true;
      problems.push({ path: dotted(path), message: typed.trim() === "" ? MISSING : unreadable(typed, field) });
    } else if (value === undefined) {
      problems.push({ path: dotted(path), message: MISSING });
    } else if (path.length < DEEPEST) {
      inside(value, field, path);
    }
  }

  function inside(value: Json, field: Field, path: Path): void {
    if (field.kind === "union" && value !== null) {
      const picked = draft.variants[pointer(path)];
      const variant = field.variants[picked ?? variantOf(value, field, root)] ?? {};
      inside(value, fieldOf(variant, root), path);
    } else if (value instanceof Map) {
      fields(value, field.kind === "object" ? field.schema : {}, path);
    } else if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) {
        visit(item, (field.kind === "list" || field.kind === "tuple" ? itemOf(field.schema, index) : null) ?? {}, [
          ...path,
          index,
        ]);
      }
    }
  }

  function fields(value: ReadonlyMap<string, Json>, schema: Schema, path: Path): void {
    const properties = new Map(propertiesOf(schema));
    const required = requiredOf(schema);
    const names = new Set([...properties.keys(), ...required, ...value.keys()]);
    for (const name of names) {
      if (draft.texts[`${pointer([...path, name])}#key`] !== undefined) {
        problems.push({ path: dotted([...path, name]), message: "needs another key: this one is taken" });
      }
      if (value.has(name) || required.has(name)) {
        visit(value.get(name), properties.get(name) ?? {}, [...path, name]);
      }
    }
  }

  visit(draft.value, root, []);
  return unread;
}

function unreadable(typed: string, field: Field): string {
  const text = JSON.stringify(typed.length > 40 ? `${typed.slice(0, 40)}…` : typed);
  if (field.kind === "integer") {
    return `is ${text}, must be an integer such as 5`;
  }
  if (field.kind === "number") {
    return `is ${text}, must be a number such as 2.5`;
  }
  try {
    parse(typed);
  } catch (error) {
    if (error instanceof JsonError) {
      return `is not JSON: ${error.message}`;
    }
    throw error;
  }
  return "cannot be read";
}

/** The problems of a draft that need no server: invalid texts and missing fields. */

import type { FieldProblem } from "../api/types";
import { type Json, JsonError, parse, stringify } from "../json/lossless";
import { formatPath, type Path, toPointer } from "../json/path";
import { type FormDraft, tryParse } from "./draft";
import { type Field, readField } from "./field";
import { readItemSchema, readProperties, readRequired, type Schema } from "./keywords";
import { findVariant } from "./variant";

export interface FormJson {
  /** The value as JSON; null if some input is invalid, so that nothing can be sent. */
  text: string | null;
  problems: FieldProblem[];
}

const MISSING = "is missing";
const MAX_DEPTH = 40;

/** The JSON to send, and its known problems. */
export function draftToJson(draft: FormDraft, schema: Schema): FormJson {
  if (draft.raw !== null) {
    return rawToJson(draft.raw, schema);
  }
  const problems: FieldProblem[] = [];
  const unread = collectProblems(draft, schema, problems);
  const keys = Object.keys(draft.texts).filter((key) => key.endsWith("#key"));
  const blocked = unread || keys.length > 0;
  return { text: blocked || draft.value === undefined ? null : stringify(draft.value), problems };
}

function rawToJson(raw: string, schema: Schema): FormJson {
  try {
    const value = parse(raw);
    return draftToJson({ value, texts: {}, variants: {}, open: {}, touched: {}, raw: null }, schema);
  } catch (error) {
    if (!(error instanceof JsonError)) {
      throw error;
    }
    const message = raw.trim() === "" ? MISSING : `is not JSON: ${error.message}`;
    return { text: null, problems: [{ path: "", message }] };
  }
}

/** Collects the problems in the schema's order; returns whether a text is invalid. */
function collectProblems(draft: FormDraft, root: Schema, problems: FieldProblem[]): boolean {
  let unread = false;

  function visit(value: Json | undefined, schema: Schema, path: Path): void {
    const field = readField(schema, root);
    const typed = draft.texts[toPointer(path)];
    if (typed !== undefined && tryParse(typed) === undefined) {
      unread = true;
      problems.push({
        path: formatPath(path),
        message: typed.trim() === "" ? MISSING : describeUnreadable(typed, field),
      });
    } else if (value === undefined) {
      problems.push({ path: formatPath(path), message: MISSING });
    } else if (path.length < MAX_DEPTH) {
      visitField(value, field, path);
    }
  }

  function visitField(value: Json, field: Field, path: Path): void {
    if (field.kind === "union" && value !== null) {
      const picked = draft.variants[toPointer(path)];
      const variant = field.variants[picked ?? findVariant(value, field, root)] ?? {};
      visitField(value, readField(variant, root), path);
    } else if (value instanceof Map) {
      visitProperties(value, field.kind === "object" ? field.schema : {}, path);
    } else if (Array.isArray(value)) {
      for (const [index, item] of value.entries()) {
        visit(
          item,
          (field.kind === "list" || field.kind === "tuple" ? readItemSchema(field.schema, index) : null) ?? {},
          [...path, index],
        );
      }
    }
  }

  function visitProperties(value: ReadonlyMap<string, Json>, schema: Schema, path: Path): void {
    const properties = new Map(readProperties(schema));
    const required = readRequired(schema);
    const names = new Set([...properties.keys(), ...required, ...value.keys()]);
    for (const name of names) {
      if (draft.texts[`${toPointer([...path, name])}#key`] !== undefined) {
        problems.push({ path: formatPath([...path, name]), message: "is a duplicate key: choose another one" });
      }
      if (value.has(name) || required.has(name)) {
        visit(value.get(name), properties.get(name) ?? {}, [...path, name]);
      }
    }
  }

  visit(draft.value, root, []);
  return unread;
}

function describeUnreadable(typed: string, field: Field): string {
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

/** The state of a form, half-typed texts included, as one plain value that can be stored and restored. */

import { type Json, JsonError, parse, stringify } from "../json/lossless";
import { getValueAt, isWithin, type Path, toPointer, updateValueAt } from "../json/path";
import { createInitialValue, hasInitialValue, type InitialValue } from "./initialValue";
import type { Schema } from "./keywords";

/** The records are keyed by `toPointer(path)`. */
export interface FormDraft {
  /** The value to send; an absent key is unset, undefined is an empty form. */
  value: Json | undefined;
  /** Typed text that is not the value itself: invalid numbers, fields edited as JSON. */
  texts: Readonly<Record<string, string>>;
  /** The picked variants of unions. */
  variants: Readonly<Record<string, number>>;
  /** Which fields were collapsed (false) or expanded (true). */
  open: Readonly<Record<string, boolean>>;
  /** The fields that lost focus once, whose problems are shown. */
  touched: Readonly<Record<string, boolean>>;
  /** The whole form as JSON text while it is edited as JSON. */
  raw: string | null;
}

const EMPTY_DRAFT: FormDraft = { value: undefined, texts: {}, variants: {}, open: {}, touched: {}, raw: null };

/** An empty form; only constants and required containers are set. */
export function createDraft(schema: Schema): FormDraft {
  return hasInitialValue(schema, schema)
    ? withInitialValue(EMPTY_DRAFT, [], createInitialValue(schema, schema))
    : EMPTY_DRAFT;
}

/** A form filled from JSON; invalid JSON opens in the JSON editor. */
export function draftFromJson(text: string): FormDraft {
  const value = tryParse(text);
  return value === undefined ? { ...EMPTY_DRAFT, raw: text } : { ...EMPTY_DRAFT, value };
}

/** The parsed value, or undefined if the text is not JSON. */
export function tryParse(text: string): Json | undefined {
  try {
    return parse(text);
  } catch (error) {
    if (error instanceof JsonError) {
      return undefined;
    }
    throw error;
  }
}

/** The draft as a text for the browser's storage. */
export function serializeDraft(draft: FormDraft): string {
  const { value, ...rest } = draft;
  return JSON.stringify({ ...rest, value: value === undefined ? null : stringify(value) });
}

/** The draft that `serializeDraft` wrote, also that of an earlier version, or null if the text is not one. */
export function deserializeDraft(text: string): FormDraft | null {
  try {
    const stored = JSON.parse(text);
    const { value, raw } = stored;
    // `left` is the earlier name of `touched`: input that was typed before an upgrade must not be lost.
    const records = [stored.texts, stored.variants, stored.open, stored.touched ?? stored.left];
    if (
      records.some((record) => typeof record !== "object" || record === null) ||
      !(raw === null || typeof raw === "string")
    ) {
      return null;
    }
    const [texts, variants, open, touched] = records;
    return { value: value === null ? undefined : parse(value), texts, variants, open, touched, raw };
  } catch {
    return null;
  }
}

/** The draft as one JSON text, with invalid texts where they were typed. */
export function formatRawJson(draft: FormDraft): string {
  if (draft.raw !== null) {
    return draft.raw;
  }
  const typed = (path: Path) => draft.texts[toPointer(path)]?.trim() || undefined;
  return draft.value === undefined ? (typed([]) ?? "") : stringify(draft.value, 2, typed);
}

/** Switches to editing the whole form as JSON. */
export function toRawJson(draft: FormDraft): FormDraft {
  return { ...draft, raw: formatRawJson(draft) };
}

/** The draft with another JSON text; the value changes only when the text is valid. */
export function withRaw(draft: FormDraft, raw: string): FormDraft {
  const value = raw.trim() === "" ? undefined : tryParse(raw);
  return value === undefined && raw.trim() !== ""
    ? { ...draft, raw }
    : { ...EMPTY_DRAFT, open: draft.open, value, raw };
}

/** Switches back to the form; null if the JSON is invalid. An unchanged text restores half-typed input. */
export function toForm(draft: FormDraft): FormDraft | null {
  if (draft.raw === null || draft.raw === formatRawJson({ ...draft, raw: null })) {
    return { ...draft, raw: null };
  }
  const read = withRaw(draft, draft.raw);
  return draft.raw.trim() !== "" && tryParse(draft.raw) === undefined ? null : { ...read, raw: null };
}

/** The draft with a value at a path; undefined unsets it. Texts and variants inside it are dropped. */
export function withValue(
  draft: FormDraft,
  path: Path,
  value: Json | undefined,
  order: readonly string[] = [],
): FormDraft {
  return { ...removeRecords(draft, toPointer(path)), value: updateValueAt(draft.value, path, () => value, order) };
}

/** The draft with a typed text at a path, which is not, or not yet, its value. */
export function withText(
  draft: FormDraft,
  path: Path,
  text: string,
  value: Json | undefined,
  order: readonly string[] = [],
): FormDraft {
  const changed = withValue(draft, path, value ?? null, order);
  return { ...changed, texts: { ...changed.texts, [toPointer(path)]: text } };
}

/** The draft with an initial value at a path. */
export function withInitialValue(
  draft: FormDraft,
  path: Path,
  fresh: InitialValue,
  order: readonly string[] = [],
): FormDraft {
  const changed = withValue(draft, path, fresh.value, order);
  const at = toPointer(path);
  const empty = fresh.unfilled.map((inner) => [at + toPointer(inner), ""]);
  return { ...changed, texts: { ...changed.texts, ...Object.fromEntries(empty) } };
}

/** The draft with the items of a list reordered; `order` lists their old indexes, omitted items are removed. */
export function withOrder(draft: FormDraft, path: Path, order: readonly number[]): FormDraft {
  const items = getValueAt(draft.value, path);
  if (!Array.isArray(items)) {
    return draft;
  }
  const at = toPointer(path);
  const places = new Map(order.map((from, to) => [`${at}/${from}`, `${at}/${to}`]));
  const moved = order.map((from) => items[from] as Json);
  return { ...renameRecords(draft, at, places), value: updateValueAt(draft.value, path, () => moved) };
}

/** The draft with a key of an object renamed. */
export function withKey(draft: FormDraft, path: Path, from: string, to: string): FormDraft {
  const object = getValueAt(draft.value, path);
  if (!(object instanceof Map) || object.has(to)) {
    return draft;
  }
  const at = toPointer(path);
  const places = new Map(
    [...object.keys()].map((key) => [at + toPointer([key]), at + toPointer([key === from ? to : key])]),
  );
  const moved = new Map([...object].map(([key, item]) => [key === from ? to : key, item]));
  return { ...renameRecords(draft, at, places), value: updateValueAt(draft.value, path, () => moved) };
}

/** Removes the records at a path and inside it. */
function removeRecords(draft: FormDraft, at: string): FormDraft {
  return rekeyRecords(draft, (key) => (key !== at && isWithin(key, at) ? null : key), at);
}

/** Renames the records of the direct children of `at`; those without a new name are dropped. */
function renameRecords(draft: FormDraft, at: string, places: ReadonlyMap<string, string>): FormDraft {
  return rekeyRecords(draft, (key) => {
    if (!key.startsWith(`${at}/`)) {
      return key;
    }
    const place = /^\/[^/#]*/.exec(key.slice(at.length))?.[0] ?? "";
    const to = places.get(at + place);
    return to === undefined ? null : to + key.slice(at.length + place.length);
  });
}

/** Renames the keys of all records. The text at `reset` is dropped; its variant, expansion and touched mark stay. */
function rekeyRecords(draft: FormDraft, name: (key: string) => string | null, reset?: string): FormDraft {
  const change = <T>(record: Readonly<Record<string, T>>, gone?: string): Record<string, T> =>
    Object.fromEntries(
      Object.entries(record).flatMap(([key, item]) => {
        const to = key === gone ? null : name(key);
        return to === null ? [] : [[to, item]];
      }),
    );
  return {
    ...draft,
    texts: change(draft.texts, reset),
    variants: change(draft.variants),
    open: change(draft.open),
    touched: change(draft.touched),
  };
}

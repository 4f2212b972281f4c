/** A form as it stands, half-typed texts included: one plain value that can be kept and restored. */

import { type Json, JsonError, parse, stringify } from "../json/lossless";
import { changedAt, isWithin, type Path, pointer, valueAt } from "../json/path";
import type { Schema } from "./keywords";
import { type Seed, seed, standsByItself } from "./seed";

/** The records are keyed by `pointer(path)`. */
export interface FormDraft {
  /** What will be sent; a key that is not there is unset, undefined is nothing at all. */
  value: Json | undefined;
  /** What is typed where a text is not the value itself: unreadable numbers, parts that are edited as JSON. */
  texts: Readonly<Record<string, string>>;
  /** The variant that was picked of a union, where it was picked. */
  variants: Readonly<Record<string, number>>;
  /** What was folded (false) or unfolded (true). */
  open: Readonly<Record<string, boolean>>;
  /** The fields that were left, whose problems are shown. */
  left: Readonly<Record<string, boolean>>;
  /** The whole as JSON text while it is edited so. */
  raw: string | null;
}

const NOTHING: FormDraft = { value: undefined, texts: {}, variants: {}, open: {}, left: {}, raw: null };

/** A form that nobody has touched: only what can be no other than it is stands in it. */
export function emptyDraft(schema: Schema): FormDraft {
  return standsByItself(schema, schema) ? withSeed(NOTHING, [], seed(schema, schema)) : NOTHING;
}

/** A form filled with a JSON text; what cannot be read is edited as JSON. */
export function draftFromJson(text: string): FormDraft {
  const value = readable(text);
  return value === undefined ? { ...NOTHING, raw: text } : { ...NOTHING, value };
}

/** The value of a text, or undefined if it is not JSON. */
export function readable(text: string): Json | undefined {
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
export function storedDraft(draft: FormDraft): string {
  const { value, ...rest } = draft;
  return JSON.stringify({ ...rest, value: value === undefined ? null : stringify(value) });
}

/** The draft that `storedDraft` wrote, or null if the text is not one. */
export function restoredDraft(text: string): FormDraft | null {
  try {
    const found = JSON.parse(text);
    const { value, raw } = found;
    const records = [found.texts, found.variants, found.open, found.left];
    if (records.some((one) => typeof one !== "object" || one === null) || !(raw === null || typeof raw === "string")) {
      return null;
    }
    const [texts, variants, open, left] = records;
    return { value: value === null ? undefined : parse(value), texts, variants, open, left, raw };
  } catch {
    return null;
  }
}

/** The draft as the whole JSON text, unreadable texts where they were typed. */
export function rawText(draft: FormDraft): string {
  if (draft.raw !== null) {
    return draft.raw;
  }
  const typed = (path: Path) => draft.texts[pointer(path)]?.trim() || undefined;
  return draft.value === undefined ? (typed([]) ?? "") : stringify(draft.value, 2, typed);
}

/** Goes over to editing the whole as JSON. */
export function asRaw(draft: FormDraft): FormDraft {
  return { ...draft, raw: rawText(draft) };
}

/** The whole with another JSON text; the value follows as soon as it can be read. */
export function withRaw(draft: FormDraft, raw: string): FormDraft {
  const value = raw.trim() === "" ? undefined : readable(raw);
  return value === undefined && raw.trim() !== "" ? { ...draft, raw } : { ...NOTHING, open: draft.open, value, raw };
}

/** Goes back to the form; null if the JSON text cannot be read. An untouched text brings back what was typed. */
export function asForm(draft: FormDraft): FormDraft | null {
  if (draft.raw === null || draft.raw === rawText({ ...draft, raw: null })) {
    return { ...draft, raw: null };
  }
  const read = withRaw(draft, draft.raw);
  return draft.raw.trim() !== "" && readable(draft.raw) === undefined ? null : { ...read, raw: null };
}

/** The draft with a value at a place; undefined unsets it. What was typed there or picked inside it is forgotten. */
export function withValue(
  draft: FormDraft,
  path: Path,
  value: Json | undefined,
  order: readonly string[] = [],
): FormDraft {
  return { ...without(draft, pointer(path)), value: changedAt(draft.value, path, () => value, order) };
}

/** The draft with a text at a place that is not, or not yet, the value there. */
export function withText(
  draft: FormDraft,
  path: Path,
  text: string,
  value: Json | undefined,
  order: readonly string[] = [],
): FormDraft {
  const changed = withValue(draft, path, value ?? null, order);
  return { ...changed, texts: { ...changed.texts, [pointer(path)]: text } };
}

/** The draft with a fresh value at a place. */
export function withSeed(draft: FormDraft, path: Path, fresh: Seed, order: readonly string[] = []): FormDraft {
  const changed = withValue(draft, path, fresh.value, order);
  const at = pointer(path);
  const empty = fresh.empty.map((inner) => [at + pointer(inner), ""]);
  return { ...changed, texts: { ...changed.texts, ...Object.fromEntries(empty) } };
}

/** The draft with the items of a list in another order, which names the places they come from; what it leaves out is gone. */
export function withOrder(draft: FormDraft, path: Path, order: readonly number[]): FormDraft {
  const items = valueAt(draft.value, path);
  if (!Array.isArray(items)) {
    return draft;
  }
  const at = pointer(path);
  const places = new Map(order.map((from, to) => [`${at}/${from}`, `${at}/${to}`]));
  const moved = order.map((from) => items[from] as Json);
  return { ...renamed(draft, at, places), value: changedAt(draft.value, path, () => moved) };
}

/** The draft with another name for a key of an object. */
export function withKey(draft: FormDraft, path: Path, from: string, to: string): FormDraft {
  const object = valueAt(draft.value, path);
  if (!(object instanceof Map) || object.has(to)) {
    return draft;
  }
  const at = pointer(path);
  const places = new Map(
    [...object.keys()].map((key) => [at + pointer([key]), at + pointer([key === from ? to : key])]),
  );
  const moved = new Map([...object].map(([key, item]) => [key === from ? to : key, item]));
  return { ...renamed(draft, at, places), value: changedAt(draft.value, path, () => moved) };
}

/** The records without what is about the place or inside it. */
function without(draft: FormDraft, at: string): FormDraft {
  return rekeyed(draft, (key) => (key !== at && isWithin(key, at) ? null : key), at);
}

/** The records with places directly inside `at` renamed; what is not named is dropped. */
function renamed(draft: FormDraft, at: string, places: ReadonlyMap<string, string>): FormDraft {
  return rekeyed(draft, (key) => {
    if (!key.startsWith(`${at}/`)) {
      return key;
    }
    const place = /^\/[^/#]*/.exec(key.slice(at.length))?.[0] ?? "";
    const to = places.get(at + place);
    return to === undefined ? null : to + key.slice(at.length + place.length);
  });
}

/** All records under other keys. The text at `reset` goes; what was picked, folded and left there stays. */
function rekeyed(draft: FormDraft, name: (key: string) => string | null, reset?: string): FormDraft {
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
    left: change(draft.left),
  };
}

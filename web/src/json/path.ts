/** Places inside a JSON value: how they are named, read and changed. Values are never changed in place. */

import type { Json } from "./lossless";

export type Path = readonly (string | number)[];

/** The path as the server and people write it, as `items[0].quantity`; two paths can look the same. */
export function dotted(path: Path): string {
  let text = "";
  for (const step of path) {
    text += typeof step === "number" ? `[${step}]` : text === "" ? step : `.${step}`;
  }
  return text;
}

/** The path as an unambiguous key. `#` is kept free for what is said about a place rather than in it. */
export function pointer(path: Path): string {
  return path.map((step) => `/${String(step).replace(/[~/#]/g, (mark) => `~${"~/#".indexOf(mark)}`)}`).join("");
}

/** Whether the key of a record is about the place `of`, or about a place inside it. */
export function isWithin(key: string, of: string): boolean {
  return key === of || key.startsWith(`${of}/`) || key.startsWith(`${of}#`);
}

export function valueAt(value: Json | undefined, path: Path): Json | undefined {
  let found = value;
  for (const step of path) {
    if (found instanceof Map && typeof step === "string") {
      found = found.get(step);
    } else if (Array.isArray(found) && typeof step === "number") {
      found = found[step];
    } else {
      return undefined;
    }
  }
  return found;
}

/**
 * The value with `change` applied at `path`. What is missing on the way is made. A change to undefined removes the key
 * or the item. `order` says for a new key which keys come before it.
 */
export function changedAt(
  value: Json | undefined,
  path: Path,
  change: (found: Json | undefined) => Json | undefined,
  order: readonly string[] = [],
): Json | undefined {
  const [step, ...rest] = path;
  if (step === undefined) {
    return change(value);
  }
  if (typeof step === "number") {
    const list = Array.isArray(value) ? [...value] : [];
    const item = changedAt(list[step], rest, change, order);
    list.splice(step, 1, ...(item === undefined ? [] : [item]));
    return list;
  }
  const object = new Map(value instanceof Map ? value : []);
  const item = changedAt(object.get(step), rest, change, order);
  if (item === undefined) {
    object.delete(step);
    return object;
  }
  return object.has(step) ? object.set(step, item) : withKey(object, step, item, rest.length === 0 ? order : []);
}

function withKey(object: Map<string, Json>, key: string, item: Json, order: readonly string[]): Map<string, Json> {
  const later = new Set(order.includes(key) ? order.slice(order.indexOf(key) + 1) : []);
  const entries = [...object];
  const place = entries.findIndex(([name]) => later.has(name));
  entries.splice(place < 0 ? entries.length : place, 0, [key, item]);
  return new Map(entries);
}

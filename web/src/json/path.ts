/** Paths into a JSON value: formatting, reading and updating. Values are never mutated. */

import type { Json } from "./lossless";

export type Path = readonly (string | number)[];

/** The path as the server and people write it, such as `items[0].quantity`; it is ambiguous where keys contain dots. */
export function formatPath(path: Path): string {
  let text = "";
  for (const step of path) {
    text += typeof step === "number" ? `[${step}]` : text === "" ? step : `.${step}`;
  }
  return text;
}

/** The path as an unambiguous key. `#` is escaped, because suffixes such as `#key` mark metadata of a path. */
export function toPointer(path: Path): string {
  return path.map((step) => `/${String(step).replace(/[~/#]/g, (mark) => `~${"~/#".indexOf(mark)}`)}`).join("");
}

/** Whether a record's key belongs to the path `of` or to a path inside it. */
export function isWithin(key: string, of: string): boolean {
  return key === of || key.startsWith(`${of}/`) || key.startsWith(`${of}#`);
}

export function getValueAt(value: Json | undefined, path: Path): Json | undefined {
  let current = value;
  for (const step of path) {
    if (current instanceof Map && typeof step === "string") {
      current = current.get(step);
    } else if (Array.isArray(current) && typeof step === "number") {
      current = current[step];
    } else {
      return undefined;
    }
  }
  return current;
}

/**
 * The value with `change` applied at `path`. Missing containers are created. A change to undefined removes the key
 * or the item. `order` lists the keys that precede a new key.
 */
export function updateValueAt(
  value: Json | undefined,
  path: Path,
  change: (before: Json | undefined) => Json | undefined,
  order: readonly string[] = [],
): Json | undefined {
  const [step, ...rest] = path;
  if (step === undefined) {
    return change(value);
  }
  if (typeof step === "number") {
    const list = Array.isArray(value) ? [...value] : [];
    const item = updateValueAt(list[step], rest, change, order);
    list.splice(step, 1, ...(item === undefined ? [] : [item]));
    return list;
  }
  const object = new Map(value instanceof Map ? value : []);
  const item = updateValueAt(object.get(step), rest, change, order);
  if (item === undefined) {
    object.delete(step);
    return object;
  }
  return object.has(step) ? object.set(step, item) : insertKey(object, step, item, rest.length === 0 ? order : []);
}

function insertKey(object: Map<string, Json>, key: string, item: Json, order: readonly string[]): Map<string, Json> {
  const later = new Set(order.includes(key) ? order.slice(order.indexOf(key) + 1) : []);
  const entries = [...object];
  const position = entries.findIndex(([name]) => later.has(name));
  entries.splice(position < 0 ? entries.length : position, 0, [key, item]);
  return new Map(entries);
}

import type { Json } from "../json/lossless";
import { isNumber, textOf } from "../json/lossless";

const MOST = 200;

export interface Found {
  value: Json;
  count: number;
  /** Whether there is more than is shown. */
  cut: boolean;
}

/** What of a value holds a text, in a key or in a value, with the way to it; lists keep their places as keys. */
export function foundIn(value: Json, text: string): Found {
  const wanted = text.trim().toLowerCase();
  let count = 0;
  let cut = false;

  function holds(item: Json): boolean {
    const written = typeof item === "string" ? item : isNumber(item) ? textOf(item) : String(item);
    return written.toLowerCase().includes(wanted);
  }

  function look(item: Json): Json | undefined {
    if (count >= MOST) {
      cut = true;
      return undefined;
    }
    if (!Array.isArray(item) && !(item instanceof Map)) {
      if (!holds(item)) return undefined;
      count += 1;
      return item;
    }
    const kept = new Map<string, Json>();
    for (const [key, inner] of item.entries()) {
      const named = typeof key === "string" && key.toLowerCase().includes(wanted) && count < MOST;
      if (named) count += 1;
      const found = named ? inner : look(inner);
      if (found !== undefined) kept.set(String(key), found);
    }
    return kept.size ? kept : undefined;
  }

  const found = look(value);
  return { value: found ?? new Map(), count, cut };
}

import type { Json } from "../json/lossless";
import { formatNumber, isNumber } from "../json/lossless";

const MAX_MATCHES = 200;

export interface SearchResult {
  value: Json;
  count: number;
  /** Whether there are more matches than are returned. */
  isTruncated: boolean;
}

export interface AppMatches extends SearchResult {
  app: string;
}

/** The matches in each app that has some, up to the limit over all of them. */
export function searchApps(states: [app: string, state: Json][], text: string): AppMatches[] {
  const found: AppMatches[] = [];
  let left = MAX_MATCHES;
  for (const [app, state] of states) {
    const result = searchState(state, text, Math.max(1, left));
    if (result.count === 0) continue;
    if (left <= 0) {
      const last = found.at(-1);
      if (last) last.isTruncated = true;
      break;
    }
    found.push({ app, ...result });
    left -= result.count;
  }
  return found;
}

/** The parts of a value that contain a text in a key or a value, with their paths; list indexes become keys. */
export function searchState(value: Json, text: string, maxMatches = MAX_MATCHES): SearchResult {
  const wanted = text.trim().toLowerCase();
  let count = 0;
  let isTruncated = false;

  function matches(item: Json): boolean {
    const written = typeof item === "string" ? item : isNumber(item) ? formatNumber(item) : String(item);
    return written.toLowerCase().includes(wanted);
  }

  function search(item: Json): Json | undefined {
    if (count >= maxMatches) {
      isTruncated = true;
      return undefined;
    }
    if (!Array.isArray(item) && !(item instanceof Map)) {
      if (!matches(item)) return undefined;
      count += 1;
      return item;
    }
    const kept = new Map<string, Json>();
    for (const [key, inner] of item.entries()) {
      const named = typeof key === "string" && key.toLowerCase().includes(wanted) && count < maxMatches;
      if (named) count += 1;
      const inside = named ? inner : search(inner);
      if (inside !== undefined) kept.set(String(key), inside);
    }
    return kept.size ? kept : undefined;
  }

  const result = search(value);
  return { value: result ?? new Map(), count, isTruncated };
}

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
  const appMatches: AppMatches[] = [];
  let remainingMatches = MAX_MATCHES;
  for (const [app, state] of states) {
    const result = searchState(state, text, Math.max(1, remainingMatches));
    if (result.count === 0) continue;
    if (remainingMatches <= 0) {
      const last = appMatches.at(-1);
      if (last) last.isTruncated = true;
      break;
    }
    appMatches.push({ app, ...result });
    remainingMatches -= result.count;
  }
  return appMatches;
}

/** The parts of a value that contain a text in a key or a value, with their paths; list indexes become keys. */
export function searchState(value: Json, text: string, maxMatches = MAX_MATCHES): SearchResult {
  const searchText = text.trim().toLowerCase();
  let count = 0;
  let isTruncated = false;

  function matches(item: Json): boolean {
    const itemText = typeof item === "string" ? item : isNumber(item) ? formatNumber(item) : String(item);
    return itemText.toLowerCase().includes(searchText);
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
    const matchingItems = new Map<string, Json>();
    for (const [key, inner] of item.entries()) {
      const isKeyMatch = typeof key === "string" && key.toLowerCase().includes(searchText) && count < maxMatches;
      if (isKeyMatch) count += 1;
      const inside = isKeyMatch ? inner : search(inner);
      if (inside !== undefined) matchingItems.set(String(key), inside);
    }
    return matchingItems.size ? matchingItems : undefined;
  }

  const result = search(value);
  return { value: result ?? new Map(), count, isTruncated };
}

import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "react";

const PREFIX = "adksim:";

/** A stored value; `fallback` if there is none that can be read. */
export function readStored<T>(key: string, fallback: T): T {
  try {
    const text = localStorage.getItem(PREFIX + key);
    return text === null ? fallback : (JSON.parse(text) as T);
  } catch {
    return fallback;
  }
}

/** Stores a value. */
export function writeStored(key: string, value: unknown): void {
  try {
    localStorage.setItem(PREFIX + key, JSON.stringify(value));
  } catch {
    // If storage is full or blocked, the value is lost on reload, but the page keeps working.
  }
}

/** Removes a stored value. */
export function removeStored(key: string): void {
  localStorage.removeItem(PREFIX + key);
}

/** What shows a stored value, to be told when a component that has gone changes it. */
const viewers = new Map<string, Set<(value: unknown) => void>>();

function watchStored(key: string, show: (value: unknown) => void): () => void {
  const all = viewers.get(key) ?? new Set();
  viewers.set(key, all.add(show));
  return () => {
    all.delete(show);
    if (all.size === 0 && viewers.get(key) === all) viewers.delete(key);
  };
}

/**
 * State that is stored in the browser and survives a reload. It can be set after its component has gone, as by a
 * response that arrives after the person has opened another page: React would ignore that.
 */
export function useStoredState<T>(key: string, fallback: T): [T, (next: T | ((before: T) => T)) => void] {
  const [stored, setStored] = useState(() => ({ key, value: readStored(key, fallback) }));
  const firstFallback = useRef(fallback);
  const value = stored.key === key ? stored.value : readStored(key, firstFallback.current);
  useEffect(
    () => setStored((now) => (now.key === key ? now : { key, value: readStored(key, firstFallback.current) })),
    [key],
  );
  const isGone = useRef(false);
  // A layout effect, because those of the components inside, which may still set it, end after this one.
  useLayoutEffect(() => {
    isGone.current = false;
    const stopWatching = watchStored(key, (shown) => setStored({ key, value: shown as T }));
    return () => {
      isGone.current = true;
      stopWatching();
    };
  }, [key]);
  const set = useCallback(
    (next: T | ((before: T) => T)) => {
      const change = (before: T): T => {
        const after = typeof next === "function" ? (next as (before: T) => T)(before) : next;
        writeStored(key, after);
        return after;
      };
      if (isGone.current) {
        const after = change(readStored(key, firstFallback.current));
        for (const show of viewers.get(key) ?? []) show(after);
        return;
      }
      setStored((now) => ({
        key,
        value: change(now.key === key ? now.value : readStored(key, firstFallback.current)),
      }));
    },
    [key],
  );
  return [value, set];
}

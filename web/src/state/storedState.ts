import { useCallback, useEffect, useRef, useState } from "react";

const PREFIX = "adksim:";

function readStored<T>(key: string, fallback: T): T {
  try {
    const text = localStorage.getItem(PREFIX + key);
    return text === null ? fallback : (JSON.parse(text) as T);
  } catch {
    return fallback;
  }
}

function writeStored(key: string, value: unknown): void {
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

/** State that is stored in the browser and survives a reload. */
export function useStoredState<T>(key: string, fallback: T): [T, (next: T | ((before: T) => T)) => void] {
  const [stored, setStored] = useState(() => ({ key, value: readStored(key, fallback) }));
  const firstFallback = useRef(fallback);
  const value = stored.key === key ? stored.value : readStored(key, firstFallback.current);
  useEffect(
    () => setStored((now) => (now.key === key ? now : { key, value: readStored(key, firstFallback.current) })),
    [key],
  );
  const set = useCallback(
    (next: T | ((before: T) => T)) =>
      setStored((now) => {
        const before = now.key === key ? now.value : readStored(key, firstFallback.current);
        const after = typeof next === "function" ? (next as (before: T) => T)(before) : next;
        writeStored(key, after);
        return { key, value: after };
      }),
    [key],
  );
  return [value, set];
}

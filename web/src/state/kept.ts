import { useCallback, useEffect, useRef, useState } from "react";

const PREFIX = "adksim:";

function read<T>(key: string, otherwise: T): T {
  try {
    const text = localStorage.getItem(PREFIX + key);
    return text === null ? otherwise : (JSON.parse(text) as T);
  } catch {
    return otherwise;
  }
}

function write(key: string, value: unknown): void {
  try {
    localStorage.setItem(PREFIX + key, JSON.stringify(value));
  } catch {
    // A full or forbidden storage costs the memory of this value, not the work on the screen.
  }
}

/** Forget what is kept under a key. */
export function forget(key: string): void {
  localStorage.removeItem(PREFIX + key);
}

/** State that a reload of the page does not lose. */
export function useKept<T>(key: string, otherwise: T): [T, (next: T | ((before: T) => T)) => void] {
  const [held, hold] = useState(() => ({ key, value: read(key, otherwise) }));
  const first = useRef(otherwise);
  const value = held.key === key ? held.value : read(key, first.current);
  useEffect(() => hold((now) => (now.key === key ? now : { key, value: read(key, first.current) })), [key]);
  const set = useCallback(
    (next: T | ((before: T) => T)) =>
      hold((now) => {
        const before = now.key === key ? now.value : read(key, first.current);
        const after = typeof next === "function" ? (next as (before: T) => T)(before) : next;
        write(key, after);
        return { key, value: after };
      }),
    [key],
  );
  return [value, set];
}

import { useEffect, useState } from "react";
import { getErrorMessage } from "./client";

/**
 * Loads data, again when `requestKey` changes; null loads nothing. The old data stays until the new arrives. The signal
 * is aborted once nobody waits for the data any more.
 */
export function useFetch<T>(
  load: (signal: AbortSignal) => Promise<T>,
  requestKey: string | null,
): { data: T | null; error: string } {
  const [state, set] = useState<{ data: T | null; error: string }>({ data: null, error: "" });
  // biome-ignore lint/correctness/useExhaustiveDependencies: `requestKey` says when to load again
  useEffect(() => {
    if (requestKey === null) return;
    const closed = new AbortController();
    load(closed.signal).then(
      (data) => {
        if (!closed.signal.aborted) set({ data, error: "" });
      },
      (error: unknown) => {
        if (!closed.signal.aborted) set((before) => ({ ...before, error: getErrorMessage(error) }));
      },
    );
    return () => closed.abort();
  }, [requestKey]);
  return state;
}

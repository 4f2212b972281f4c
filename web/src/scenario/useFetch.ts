import { useEffect, useState } from "react";
import { getErrorMessage } from "../api/client";

/** Loads data, again when `requestKey` changes. The old data stays until the new arrives. */
export function useFetch<T>(load: () => Promise<T>, requestKey: string): { data: T | null; error: string } {
  const [state, set] = useState<{ data: T | null; error: string }>({ data: null, error: "" });
  // biome-ignore lint/correctness/useExhaustiveDependencies: `requestKey` says when to load again
  useEffect(() => {
    let isCancelled = false;
    load().then(
      (data) => {
        if (!isCancelled) set({ data, error: "" });
      },
      (error: unknown) => {
        if (!isCancelled) set((before) => ({ ...before, error: getErrorMessage(error) }));
      },
    );
    return () => {
      isCancelled = true;
    };
  }, [requestKey]);
  return state;
}

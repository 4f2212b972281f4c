import { useEffect, useState } from "react";
import { words } from "../api/client";

/** What the server answers; asked again when `on` changes. What was there stays until the next is. */
export function useLoaded<T>(ask: () => Promise<T>, on: string): { found: T | null; trouble: string } {
  const [state, set] = useState<{ found: T | null; trouble: string }>({ found: null, trouble: "" });
  // biome-ignore lint/correctness/useExhaustiveDependencies: `on` says when to ask again
  useEffect(() => {
    let gone = false;
    ask().then(
      (found) => {
        if (!gone) set({ found, trouble: "" });
      },
      (error: unknown) => {
        if (!gone) set((before) => ({ ...before, trouble: words(error) }));
      },
    );
    return () => {
      gone = true;
    };
  }, [on]);
  return state;
}

import { useEffect, useRef, useState } from "react";
import { getErrorMessage } from "./client";
import { LatestLoader } from "./latestLoader";

/** Loads data of one thing again and again as its `version` changes; the old data stays until the new arrives. */
export function useLiveFetch<T>(
  load: () => Promise<T>,
  subject: string,
  version: string,
): { data: T | null; error: string } {
  const [state, set] = useState<{ data: T | null; error: string }>({ data: null, error: "" });
  const loader = useRef<LatestLoader<T> | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: `subject` says what is loaded
  useEffect(() => {
    loader.current = new LatestLoader(
      load,
      (data) => set({ data, error: "" }),
      (error) => set((before) => ({ ...before, error: getErrorMessage(error) })),
    );
    return () => loader.current?.close();
  }, [subject]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new loader must load too
  useEffect(() => loader.current?.request(version), [subject, version]);
  return state;
}

import { useCallback, useEffect, useRef, useState } from "react";
import { getErrorMessage } from "../api/client";

const EVERY_MS = 3000;

/**
 * Loads data, and again every few seconds while the page is visible: files are changed by other programs too. `replace`
 * takes data that is newer, such as the result of an edit; what was requested before it is dropped. Answers may overtake
 * each other: one that was requested before what is shown is dropped too.
 */
export function usePolledFetch<T>(load: () => Promise<T>): {
  data: T | null;
  error: string;
  replace: (data: T) => void;
  reload: () => void;
} {
  const [state, setState] = useState<{ data: T | null; error: string }>({ data: null, error: "" });
  const generation = useRef(0);
  const latest = useRef(load);
  latest.current = load;
  const requestCount = useRef(0);
  const latestShownNumber = useRef(0);
  const reload = useCallback(() => {
    const startGeneration = generation.current;
    requestCount.current += 1;
    const number = requestCount.current;
    const isNewer = () => {
      if (startGeneration !== generation.current || number < latestShownNumber.current) return false;
      latestShownNumber.current = number;
      return true;
    };
    latest.current().then(
      (data) => {
        if (isNewer()) setState({ data, error: "" });
      },
      (error: unknown) => {
        if (isNewer()) setState((before) => ({ ...before, error: getErrorMessage(error) }));
      },
    );
  }, []);
  const replace = useCallback((data: T) => {
    generation.current += 1;
    setState({ data, error: "" });
  }, []);
  useEffect(() => {
    reload();
    const timer = window.setInterval(() => {
      if (document.visibilityState === "visible") reload();
    }, EVERY_MS);
    return () => {
      generation.current += 1;
      window.clearInterval(timer);
    };
  }, [reload]);
  return { ...state, replace, reload };
}

import { useEffect, useRef } from "react";

const EVERY_MS = 1000;

/** Asks again and again while the page is visible, one request at a time; it starts over when `subject` changes. */
export function usePoll(ask: () => Promise<void>, subject: string): void {
  const latest = useRef(ask);
  latest.current = ask;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `subject` says what is asked for
  useEffect(() => {
    let isClosed = false;
    let timer = 0;
    const poll = async () => {
      if (document.visibilityState === "visible") await latest.current();
      if (!isClosed) timer = window.setTimeout(poll, EVERY_MS);
    };
    void poll();
    return () => {
      isClosed = true;
      window.clearTimeout(timer);
    };
  }, [subject]);
}

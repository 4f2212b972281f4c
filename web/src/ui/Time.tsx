import { useEffect, useState } from "react";
import { ago, clock, duration, full } from "./format";

/** A clock that ticks while somebody looks at it; in seconds since 1970. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), everyMs);
    return () => window.clearInterval(timer);
  }, [everyMs]);
  return now / 1000;
}

/** How long something has been going on. */
export function Stopwatch({ since }: { since: number }) {
  const now = useNow(100);
  return <span role="timer">{duration(Math.max(0, now - since) * 1000)}</span>;
}

/** The time of day; the date and how long ago on hover. */
export function At({ time }: { time: number }) {
  return <time title={`${full(time)} · ${ago(time)}`}>{clock(time)}</time>;
}

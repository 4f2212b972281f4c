import { useEffect, useState } from "react";
import { formatAgo, formatClock, formatDateTime, formatDuration } from "./format";

/** The current time in seconds since 1970, updated while mounted. */
export function useNow(everyMs: number): number {
  const [now, setNow] = useState(() => Date.now());
  useEffect(() => {
    const timer = window.setInterval(() => setNow(Date.now()), everyMs);
    return () => window.clearInterval(timer);
  }, [everyMs]);
  return now / 1000;
}

/** The time since a start, counting up. */
export function Stopwatch({ since }: { since: number }) {
  const now = useNow(100);
  return <span role="timer">{formatDuration(Math.max(0, now - since) * 1000)}</span>;
}

/** The time of day; the date and how long ago on hover. */
export function ClockTime({ time }: { time: number }) {
  return <time title={`${formatDateTime(time)} · ${formatAgo(time)}`}>{formatClock(time)}</time>;
}

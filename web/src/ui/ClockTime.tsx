import { useSyncExternalStore } from "react";
import { getClock } from "./clock";
import { formatAgo, formatClock, formatDateTime, formatDuration } from "./format";

/** The current time in seconds since 1970, updated while mounted. */
export function useNow(everyMs: number): number {
  const { subscribe, getTime } = getClock(everyMs);
  return useSyncExternalStore(subscribe, getTime, getTime);
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

/** How long ago something was, rendered again only when the text changes; the date on hover. */
export function AgoText({ time, suffix = " ago", everyMs }: { time: number; suffix?: "" | " ago"; everyMs: number }) {
  const { subscribe, getTime } = getClock(everyMs);
  const getText = () => formatAgo(time, getTime());
  const text = useSyncExternalStore(subscribe, getText, getText);
  return <time title={formatDateTime(time)}>{suffix ? text : text.replace(" ago", "")}</time>;
}

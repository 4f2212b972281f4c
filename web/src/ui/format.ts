/** Durations, sizes and times as people read them. */

// Creating a formatter takes a hundred times as long as using it, and each row has a time.
const CLOCK = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });
const DATE_TIME = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });
const UTC = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium", timeZone: "UTC" });

export function formatDuration(ms: number): string {
  if (ms < 1) return "<1 ms";
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)} s`;
  if (ms < 3_600_000) return `${Math.floor(ms / 60_000)} min ${Math.floor((ms % 60_000) / 1000)} s`;
  return `${Math.floor(ms / 3_600_000)} h ${Math.floor((ms % 3_600_000) / 60_000)} min`;
}

export function formatSize(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  if (bytes < 1_000_000) return `${(bytes / 1000).toFixed(bytes < 10_000 ? 1 : 0)} KB`;
  return `${(bytes / 1_000_000).toFixed(1)} MB`;
}

export function formatCount(number: number, singular: string, plural = `${singular}s`): string {
  return `${number.toLocaleString("en")} ${number === 1 ? singular : plural}`;
}

export function formatClock(seconds: number): string {
  return formatDate(CLOCK, seconds);
}

export function formatDateTime(seconds: number): string {
  return formatDate(DATE_TIME, seconds);
}

/** A time of a simulated world, which is in UTC as its tools return it, wherever the reader is. */
export function formatUtcTime(seconds: number): string {
  const text = formatDate(UTC, seconds);
  return text === NO_TIME ? text : `${text} UTC`;
}

const NO_TIME = "invalid time";

function formatDate(formatter: Intl.DateTimeFormat, seconds: number): string {
  const date = new Date(seconds * 1000);
  return Number.isNaN(date.getTime()) ? NO_TIME : formatter.format(date);
}

export function formatAgo(seconds: number, now = Date.now() / 1000): string {
  const passed = Math.max(0, now - seconds);
  if (passed < 10) return "just now";
  if (passed < 60) return `${Math.floor(passed)} s ago`;
  if (passed < 3600) return `${Math.floor(passed / 60)} min ago`;
  if (passed < 86_400) return `${Math.floor(passed / 3600)} h ago`;
  return `${Math.floor(passed / 86_400)} d ago`;
}

import type { EventSummary } from "../api/types";
import type { IconName } from "../ui/Icon";

type EventKind = EventSummary["kind"];

/** The label, icon and meaning of each kind of event. */
export const KINDS: Record<EventKind, { label: string; icon: IconName; meaning: string }> = {
  user: { label: "user", icon: "user", meaning: "what the user does" },
  env: { label: "env", icon: "note", meaning: "what happens in the world" },
  agent: { label: "agent", icon: "spark", meaning: "what the agent does" },
  oracle: { label: "oracle", icon: "spark", meaning: "what is expected of the agent" },
  condition: { label: "condition", icon: "help", meaning: "what is waited for" },
  validation: { label: "validation", icon: "consent", meaning: "what is checked" },
  other: { label: "other", icon: "note", meaning: "an event of another kind" },
};

/** Formats seconds since the start. */
export function formatOffset(seconds: number | null): string {
  if (seconds === null) return "never";
  return `+${Number.isInteger(seconds) ? seconds.toLocaleString("en") : seconds.toFixed(2)} s`;
}

/** The call of an event, such as `Emails.send_email`. */
export function formatCall(event: Pick<EventSummary, "app" | "function" | "event_id">): string {
  return event.function ? `${event.app}.${event.function}` : event.event_id;
}

/** A name cut in the middle, so that both of its ends can be read. */
export function truncateMiddle(name: string, maxLength: number): string {
  if (name.length <= maxLength) return name;
  const head = Math.ceil((maxLength - 1) / 2);
  return `${name.slice(0, head)}…${name.slice(name.length - (maxLength - 1 - head))}`;
}

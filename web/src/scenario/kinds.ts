import type { EventLine } from "../api/types";
import type { IconName } from "../ui/Icon";

type Kind = EventLine["kind"];

/** What each kind of event is called, and its icon. */
export const KINDS: Record<Kind, { word: string; icon: IconName; means: string }> = {
  user: { word: "user", icon: "user", means: "what the user does" },
  env: { word: "env", icon: "note", means: "what happens in the world" },
  agent: { word: "agent", icon: "spark", means: "what the agent does" },
  oracle: { word: "oracle", icon: "spark", means: "what is expected of the agent" },
  condition: { word: "condition", icon: "help", means: "what is waited for" },
  validation: { word: "validation", icon: "consent", means: "what is checked" },
  other: { word: "other", icon: "note", means: "an event of another kind" },
};

/** Seconds since the start, as people read them. */
export function since(seconds: number | null): string {
  if (seconds === null) return "never";
  return `+${Number.isInteger(seconds) ? seconds.toLocaleString("en") : seconds.toFixed(2)} s`;
}

/** The call that an event is, as `Emails.send_email`. */
export function callOf(event: Pick<EventLine, "app" | "function" | "event_id">): string {
  return event.function ? `${event.app}.${event.function}` : event.event_id;
}

import type { EventSummary, WorldGraphEvent } from "../api/types";
import type { IconName } from "../ui/Icon";
import { formatOffset } from "./eventKinds";

export type EventState = WorldGraphEvent["state"];

/** An event of a scenario; in the graph of a run, with what has become of it. */
export type GraphEvent = EventSummary & Partial<Pick<WorldGraphEvent, "state" | "seconds" | "note">>;

/** The icon and meaning of each state of an event in a run. */
export const STATES: Record<EventState, { icon: IconName; meaning: string }> = {
  happened: { icon: "answer", meaning: "it happened" },
  failed: { icon: "error", meaning: "it happened and failed, or was expected and not done" },
  due: { icon: "chevron", meaning: "it is next, or expected now" },
  later: { icon: "more", meaning: "it waits for other events" },
  missed: { icon: "cancelled", meaning: "the run is over, and it never happened" },
};

/** When an event happened or is due in a run, or is expected in the scenario. */
export function formatEventTime(event: GraphEvent): string {
  if (event.state === undefined) return formatOffset(event.expected_seconds);
  return event.seconds === null || event.seconds === undefined ? "" : formatOffset(event.seconds);
}

/** How many events are in each state, such as `3 happened, 1 due`; states that no event is in are left out. */
export function formatStateCounts(events: readonly GraphEvent[]): string {
  return (Object.keys(STATES) as EventState[])
    .map((state) => [events.filter((event) => event.state === state).length, state] as const)
    .filter(([count]) => count > 0)
    .map(([count, state]) => `${count.toLocaleString("en")} ${state}`)
    .join(", ");
}

/** The event that a graph of a run shows first: the last one that happened. */
export function findLatestEvent(events: readonly GraphEvent[]): number | null {
  let latest: GraphEvent | null = null;
  for (const event of events) {
    const time = event.state === "happened" || event.state === "failed" ? event.seconds : null;
    if (typeof time === "number" && time >= (latest?.seconds ?? 0)) latest = event;
  }
  return latest?.index ?? null;
}

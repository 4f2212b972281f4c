import type { JudgedEvent } from "../api/types";

/** The height of an event in both lists, in pixels: lines between them need no measuring. */
export const EVENT_HEIGHT = 28;

export interface MatchLine {
  /** The place of the expected event. */
  from: number;
  /** The place of the event that happened. */
  to: number;
  isMatch: boolean;
}

/** The id of the event that matches an expected one, or that is nearest to it. */
export function findPartner(event: JudgedEvent): string | null {
  return event.agent_event_id ?? (event.status === "wrong" ? (event.nearest?.event_id ?? null) : null);
}

/** The lines of a turn: from each expected event to the one that matches it, or that is nearest to it. */
export function listMatchLines(expected: JudgedEvent[], happened: { event_id: string }[]): MatchLine[] {
  return expected.flatMap((event, from) => {
    const partner = findPartner(event);
    const to = happened.findIndex(({ event_id }) => event_id === partner);
    return to < 0 ? [] : [{ from, to, isMatch: event.status === "matched" }];
  });
}

/** The path of a line in a drawing 100 wide, from the middle of one event to the middle of the other. */
export function drawMatchLine({ from, to }: MatchLine): string {
  const [start, end] = [from, to].map((place) => (place + 0.5) * EVENT_HEIGHT);
  return `M0 ${start} C50 ${start} 50 ${end} 100 ${end}`;
}

/** A tool's name without its app, and the app. */
export function splitTool(tool: string): { app: string; name: string } {
  const place = tool.indexOf("__");
  return place < 0 ? { app: "", name: tool } : { app: tool.slice(0, place), name: tool.slice(place + 2) };
}

import type { VerdictTurn } from "../api/types";

/** The height of an event in both lists, in pixels: lines between them need no measuring. */
export const EVENT_HEIGHT = 28;

export interface MatchLine {
  /** The place of the expected event. */
  from: number;
  /** The place of the event that happened. */
  to: number;
  isMatch: boolean;
}

/** The lines of a turn: from each expected event to the one that matches it, or that is nearest to it. */
export function listMatchLines(turn: Pick<VerdictTurn, "expected">): MatchLine[] {
  return turn.expected.flatMap(({ partner, status }, from) =>
    partner === null ? [] : [{ from, to: partner, isMatch: status === "matched" }],
  );
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

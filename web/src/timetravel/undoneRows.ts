import type { TimelineRow, TimeTravelInfo } from "../api/types";

/** Whether what a row shows was undone: it is still visible, and no longer part of the session. */
export function isUndone(row: TimelineRow, undone: TimeTravelInfo["undone"]): boolean {
  return undone.some(([first, last]) => first <= row.seq && row.seq <= last);
}

/** Whether a session can go back to a row: what a model decided is decided again, a user message sent again. */
export function canGoBackTo(row: TimelineRow): boolean {
  return row.turn_id !== "" || row.kind === "user";
}

/** The text of a row; of the row at which a fork begins, the name of the session that it comes from. */
export function describeOrigin(row: TimelineRow, past: TimeTravelInfo): string {
  const isFork = row.kind === "note" && row.subject === "forked";
  return isFork && past.forked_from ? `from “${past.forked_from.name}”: what is above was copied` : row.summary;
}

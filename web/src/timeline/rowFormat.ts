import type { SessionRecord, TimelineRow } from "../api/types";
import type { IconName } from "../ui/Icon";

/** The icon, label and colour of a row's kind. */
export function describeRow(row: TimelineRow): { icon: IconName; label: string; tone: string } {
  if (row.kind === "call") {
    if (row.status === "failed") return { icon: "error", label: "Tool Error", tone: "error" };
    if (row.status === "confirm") return { icon: "consent", label: "needs consent", tone: "consent" };
    if (row.status === "denied") return { icon: "consent", label: "denied", tone: "quiet" };
    if (row.status === "cancelled") return { icon: "cancelled", label: "cancelled", tone: "quiet" };
    return { icon: "call", label: "call", tone: "call" };
  }
  if (row.kind === "world" && row.status === "failed") {
    return { icon: row.subject === "verdict" ? "verdict" : "error", label: "world", tone: "error" };
  }
  const faces = {
    user: { icon: "user", label: "user", tone: "user" },
    commentary: { icon: "say", label: "says", tone: "quiet" },
    answer: { icon: "answer", label: "answer", tone: "answer" },
    artifact: { icon: "artifact", label: "file", tone: "artifact" },
    consent: { icon: "consent", label: "consent", tone: "consent" },
    request: { icon: "consent", label: row.status === "confirm" ? "asks user" : "asked", tone: "consent" },
    error: { icon: "error", label: "failed", tone: "error" },
    note: { icon: "note", label: "note", tone: "quiet" },
    world: { icon: row.subject === "verdict" ? "verdict" : "world", label: "world", tone: "world" },
  } as const;
  return faces[row.kind];
}

/** How a call differs from what the model was offered, as one mark; null if it does not. */
export function describeMismatch(row: TimelineRow): { label: string; title: string } | null {
  if (row.is_unknown_tool) {
    return { label: "unknown tool", title: "The agent has no tool of this name: the model made it up" };
  }
  if (row.force) {
    return { label: "sent anyway", title: "The call did not match what the model was offered, and was sent anyway" };
  }
  return null;
}

/** Who responds in place of the tool, as one mark; null if the tool itself does. */
export function describeResponder(row: TimelineRow): { label: string; title: string } | null {
  if (row.kind === "note") return null;
  if (row.responder === "human") {
    const verb = row.status === "running" ? "is asked" : "responded";
    return { label: "by a person", title: `Not the tool itself: a person ${verb} (${row.rule})` };
  }
  return row.rule ? { label: `simulated by ${row.rule}`, title: "Not the tool itself: this rule answered" } : null;
}

/** When a row happened in a scenario's world; empty if it happened in none. */
export function formatWorldTime(row: TimelineRow): string {
  return row.world_seconds == null ? "" : `t+${formatSeconds(row.world_seconds)}`;
}

function formatSeconds(seconds: number): string {
  return `${Number.isInteger(seconds) ? seconds.toLocaleString("en") : seconds.toFixed(1)} s`;
}

const PLAYERS: Record<string, string> = { human: "you", real: "", recorded: "replay", simulated: "simulated" };

/** The player's label; empty where it is obvious. */
export function describePlayer(row: TimelineRow): string {
  if (row.kind === "user" || row.kind === "error" || row.kind === "note" || row.kind === "world") return "";
  const isDecided = row.kind !== "call" || row.turn_id !== "";
  if (isDecided && row.player === "real") return "model";
  return PLAYERS[row.player] ?? row.player;
}

/** How much of each row is visible while it is closed: with the result below its line, or the line alone. */
export type Density = "comfortable" | "compact";

const UNFINISHED: TimelineRow["status"][] = ["running", "confirm"];
const MAX_SCAN = 500;

/** The rows that are shown in full: the newest result or answer, and the latest message of the user. */
export function findFullRows(rowCount: number, getRow: (index: number) => TimelineRow | undefined): Set<number> {
  const indexes = new Set<number>();
  let hasResult = false;
  for (let index = rowCount - 1; index >= Math.max(0, rowCount - MAX_SCAN); index -= 1) {
    const row = getRow(index);
    if (!row) continue;
    if (row.kind === "user") return indexes.add(index);
    if (!hasResult && row.kind !== "note" && row.kind !== "world" && !UNFINISHED.includes(row.status)) {
      hasResult = true;
      indexes.add(index);
    }
  }
  return indexes;
}

const MAX_DEPTH = 6;

/** How deep a row is nested: in the tool that its agent runs in, and in a branch beside others. */
export function findDepth(row: TimelineRow, getRow: (index: number) => TimelineRow | undefined): number {
  let depth = 0;
  for (let inner: TimelineRow | undefined = row; inner && depth < MAX_DEPTH; inner = findParentCall(inner, getRow)) {
    depth += (inner.parent_call_id ? 1 : 0) + (inner.branch ? 1 : 0);
  }
  return Math.min(depth, MAX_DEPTH);
}

/** The call of the tool that the row's agent runs in, if it is loaded and not far above. */
function findParentCall(row: TimelineRow, getRow: (index: number) => TimelineRow | undefined): TimelineRow | undefined {
  if (!row.parent_call_id) return undefined;
  for (let index = row.index - 1; index >= Math.max(0, row.index - MAX_SCAN); index -= 1) {
    const above = getRow(index);
    if (above?.kind === "call" && above.call_id === row.parent_call_id) return above;
  }
  return undefined;
}

export const FILTERS = ["all", "calls", "messages", "errors", "world"] as const;
export type Filter = (typeof FILTERS)[number];

const FILTER_PREDICATES: Record<Filter, (row: TimelineRow) => boolean> = {
  all: () => true,
  calls: (row) => row.kind === "call" || row.kind === "consent",
  messages: (row) => row.kind === "user" || row.kind === "answer" || row.kind === "commentary",
  errors: (row) => row.status === "failed" || row.kind === "error",
  world: (row) => row.kind === "world",
};

/** Whether a row passes the filter and contains every word of the query. */
export function matchesFilter(row: TimelineRow, filter: Filter, find: string): boolean {
  if (!FILTER_PREDICATES[filter](row)) return false;
  if (!find) return true;
  const fields = [row.subject, row.summary, row.result, row.agent_name, describeRow(row).label, row.note];
  const text = fields.join(" ").toLowerCase();
  return find
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** The row's agent, if it is not the session's own. */
export function findOtherAgent(row: TimelineRow, session: SessionRecord): string {
  return row.agent_name && row.kind !== "user" && row.agent_name !== session.agent_name ? row.agent_name : "";
}

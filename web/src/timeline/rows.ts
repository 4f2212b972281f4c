import type { Row, SessionShape } from "../api/types";
import type { IconName } from "../ui/Icon";

/** How a row presents itself: each kind by icon, word and colour. */
export function face(row: Row): { icon: IconName; word: string; tone: string } {
  if (row.kind === "call") {
    if (row.status === "failed") return { icon: "error", word: "Tool Error", tone: "error" };
    if (row.status === "confirm") return { icon: "consent", word: "asks first", tone: "consent" };
    if (row.status === "denied") return { icon: "consent", word: "denied", tone: "quiet" };
    if (row.status === "cancelled") return { icon: "cancelled", word: "cancelled", tone: "quiet" };
    return { icon: "call", word: "call", tone: "call" };
  }
  const faces = {
    user: { icon: "user", word: "user", tone: "user" },
    say: { icon: "say", word: "says", tone: "quiet" },
    answer: { icon: "answer", word: "answer", tone: "answer" },
    artifact: { icon: "artifact", word: "file", tone: "artifact" },
    consent: { icon: "consent", word: "consent", tone: "consent" },
    error: { icon: "error", word: "failed", tone: "error" },
    note: { icon: "note", word: "note", tone: "quiet" },
  } as const;
  return faces[row.kind];
}

const PLAYERS: Record<string, string> = { human: "you", real: "", recorded: "replay", simulated: "simulated" };

/** Who played, where it is worth saying. */
export function player(row: Row): string {
  if (row.kind === "user" || row.kind === "error" || row.kind === "note") return "";
  if (row.kind !== "call" && row.player === "real") return "model";
  return PLAYERS[row.player] ?? row.player;
}

export const FILTERS = ["all", "calls", "messages", "errors"] as const;
export type Filter = (typeof FILTERS)[number];

const SHOWN: Record<Filter, (row: Row) => boolean> = {
  all: () => true,
  calls: (row) => row.kind === "call" || row.kind === "consent",
  messages: (row) => row.kind === "user" || row.kind === "answer" || row.kind === "say",
  errors: (row) => row.status === "failed" || row.kind === "error",
};

/** Whether a row is to be shown: of the kind that is asked for, and saying what is looked for. */
export function shows(row: Row, filter: Filter, find: string): boolean {
  if (!SHOWN[filter](row)) return false;
  if (!find) return true;
  const text = `${row.subject} ${row.summary} ${row.result} ${row.agent_name} ${face(row).word}`.toLowerCase();
  return find
    .toLowerCase()
    .split(/\s+/)
    .every((word) => text.includes(word));
}

/** The agent's name beside a row, where it is not the agent of the session. */
export function otherAgent(row: Row, session: SessionShape): string {
  return row.agent_name && row.kind !== "user" && row.agent_name !== session.agent_name ? row.agent_name : "";
}

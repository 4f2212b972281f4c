/** What a session's status and pending requests are called, and what follows from them. */

import type { PendingRequest, SessionDetail, SessionRecord, SessionStatus, TimelineRow } from "../api/types";

export const STATUS_LABELS: Record<SessionStatus, string> = {
  new: "Waiting for a message",
  waiting: "Waiting for you",
  running: "Running",
  done: "Done",
  failed: "Failed",
  stopped: "Stopped",
  abandoned: "Abandoned",
  interrupted: "Interrupted",
  closed: "Closed",
  cancelled: "Cancelled",
  broken: "Broken",
};

export const STATUSES = Object.keys(STATUS_LABELS) as SessionStatus[];

const WAITING_LABELS: Record<PendingRequest["kind"], string> = {
  model: "Your turn",
  consent: "Needs consent",
  credential: "Needs a credential",
  input: "Needs input",
  tool: "Needs a result",
  user: "Waiting for a message",
};

/** The model turn that a person plays next, except those that they have already sent. */
export function findModelTurn(
  session: SessionRecord,
  sentTurns: ReadonlySet<string> = new Set(),
): PendingRequest | undefined {
  return session.pending.find((request) => request.kind === "model" && !sentTurns.has(request.request_id));
}

/** What a run that is going on waits for first: a turn of the model, or a tool's response; except what was sent. */
export function findNextRequest(
  session: SessionRecord,
  sentRequests: ReadonlySet<string> = new Set(),
): PendingRequest | undefined {
  const isOpen = ({ kind, request_id: id }: PendingRequest) =>
    (kind === "model" || kind === "tool") && !sentRequests.has(id);
  return session.pending.find(isOpen);
}

/** The request for input or a credential that the user answers next; consent that was asked for before goes first. */
export function findNextPause(session: SessionDetail): SessionDetail["pause"] {
  const first = session.pending.find(({ kind }) => kind === "consent" || kind === "input" || kind === "credential");
  return first?.kind === "consent" ? null : session.pause;
}

/** The status as a person reads it: of a session that waits, what it waits for. */
export function describeStatus(session: SessionRecord): string {
  if (session.status !== "waiting") return STATUS_LABELS[session.status];
  const request = findNextRequest(session) ?? session.pending[0];
  return request ? WAITING_LABELS[request.kind] : STATUS_LABELS.waiting;
}

/** What lists call the agent that asks for something: the session's agent has a display name, its parts have not. */
export function labelAgent(session: SessionRecord, request: PendingRequest): string {
  return request.agent_name === session.agent_name ? session.agent_label : request.agent_name;
}

/** What a person is asked for, with the tool that it is about. */
export function describeRequest(request: PendingRequest): string {
  const { kind, tool_name: tool } = request;
  if (kind === "model") return "Model turn";
  if (kind === "consent") return tool ? `Consent to ${tool}` : "Consent";
  if (kind === "credential") return tool ? `Credential for ${tool}` : "Credential";
  if (kind === "input") return tool ? `Input for ${tool}` : "Input";
  if (kind === "tool") return tool ? `Result of ${tool}` : "Result of a tool";
  return "User message";
}

/** Whether the session can only be read. */
export function isClosed(status: SessionStatus): boolean {
  return status === "closed" || status === "interrupted" || status === "cancelled" || status === "broken";
}

/** Whether a user turn before the latest one was answered. */
export function hasEarlierAnswer(rows: readonly TimelineRow[]): boolean {
  const lastMessage = rows.findLastIndex((row) => row.kind === "user");
  return rows.some((row, position) => row.kind === "answer" && position < lastMessage);
}

/** Whether a session of so many rows can be exported, by those that are loaded, and what that writes or is missing. */
export function describeExport(
  status: SessionStatus,
  rows: readonly TimelineRow[],
  rowCount = rows.length,
): { isPossible: boolean; hint: string } {
  if (status === "done" || (isClosed(status) && status !== "broken")) {
    return { isPossible: true, hint: "Export the session as a golden trace" };
  }
  if (status === "broken") return { isPossible: false, hint: "The session cannot be read" };
  if (hasEarlierAnswer(rows)) {
    return { isPossible: true, hint: `Export the answered turns; ${UNFINISHED[status] ?? "the last one"} is left out` };
  }
  // The answers may be in rows that were never visible; the server knows, and the dialog says so.
  if (rows.length < rowCount) return { isPossible: true, hint: "Export the turns that were answered" };
  return { isPossible: false, hint: NOTHING_TO_EXPORT[status] ?? "Send the final response first" };
}

const UNFINISHED: Partial<Record<SessionStatus, string>> = {
  waiting: "the one that is not answered yet",
  running: "the one that is not answered yet",
  stopped: "the one that was stopped",
  failed: "the one that failed",
};
const NOTHING_TO_EXPORT: Partial<Record<SessionStatus, string>> = {
  new: "There is nothing to export yet",
  stopped: "No turn was answered: send another message, and answer it",
  failed: "No turn was answered: send another message, and answer it",
};

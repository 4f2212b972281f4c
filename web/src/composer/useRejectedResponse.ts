import { useEffect } from "react";
import type { PendingRequest, SessionDetail, TimelineRow } from "../api/types";
import type { SessionStore } from "../state/sessionStore";
import { isUndone } from "../timetravel/undoneRows";
import type { Drafts, SetDrafts } from "./drafts";

/** ADK's tool for structured responses of agents that have other tools too. */
const RESPONSE_TOOL = "set_model_response";

/**
 * Puts a structured response back into its form when the agent asks again because ADK rejected it. Of an agent in another
 * process only that process knows the output type, so the server could not tell before.
 */
export function useRejectedResponse({
  store,
  session,
  turn,
  drafts,
  setDrafts,
  onRejected,
}: {
  store: SessionStore;
  session: SessionDetail;
  turn: PendingRequest | undefined;
  drafts: Drafts;
  setDrafts: SetDrafts;
  onRejected: (message: string) => void;
}): void {
  const { sentResponse } = drafts;
  const isAccepted = session.status === "done" || session.status === "closed";
  const turnId = turn?.request_id;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the agent's next turn, or the end, tells whether it was rejected, also if it is there before the response was cleared
  useEffect(() => {
    if (sentResponse && isAccepted) setDrafts({ sentResponse: null });
    if (!sentResponse || turn?.agent_name !== sentResponse.agentName) return;
    const rows = store.listLoadedRows().filter((row) => !isUndone(row, session.time_travel.undone));
    const rejection = findRejection(rows, sentResponse.agentName);
    if (!rejection) {
      setDrafts({ sentResponse: null });
      return;
    }
    onRejected(`The agent rejected the response. ${describeRejection(rejection)}`);
    setDrafts((before) => ({
      mode: "answer",
      sentResponse: null,
      answerForm: before.answerForm ?? sentResponse.form,
    }));
  }, [turnId, isAccepted, sentResponse !== null]);
}

/** The row of the agent's last response, if ADK rejected it: as a call of its tool, or with the whole run. */
export function findRejection(rows: readonly TimelineRow[], agentName: string): TimelineRow | undefined {
  const last = rows.findLast(
    (row) => row.kind === "error" || (row.agent_name === agentName && row.kind !== "user" && row.kind !== "note"),
  );
  const isRejected = last?.kind === "error" || (last?.subject === RESPONSE_TOOL && last.status === "failed");
  return isRejected ? last : undefined;
}

/** pydantic's lines about a field: its name, and below it what is wrong. */
const FIELD_PROBLEM = /(?:\\n|\n)([\w.]+)(?:\\n|\n)\s+(.+?) \[type=/g;

/** What is wrong in which field, where the reason says so; the whole reason is in the timeline. */
export function describeRejection(row: TimelineRow): string {
  const problems = [...row.result.matchAll(FIELD_PROBLEM)].map(
    ([, field, problem]) => `${field}: ${problem?.replace(/^Value error, /, "")}.`,
  );
  return problems.length ? `${problems.join(" ")} Correct it and send it again.` : "The timeline says why.";
}

/** Undo, redo, go back and fork: asking the server, and what a person has to confirm first. Has no components. */

import { ApiError, api, getErrorMessage } from "../api/client";
import type {
  OperationResult,
  SessionDetail,
  TimelineRow,
  TimeTravelPlan,
  TimeTravelProgress,
  TimeTravelRequest,
} from "../api/types";
import { copyDrafts } from "../composer/drafts";
import { readFiles, writeFiles } from "../state/fileStore";
import { findModelTurn } from "../state/sessionStatus";
import { loadPrefill, type Prefill, prefills } from "./prefill";

/** An undo, redo, go back or fork: what is asked of the server, and what goes into the composer afterwards. */
export interface TimeTravelChoice {
  action: TimeTravelRequest["action"];
  row?: TimelineRow;
  /** Whether the message or decision of the row is put into the composer. */
  isEdit?: boolean;
}

/** What a person has to confirm first. */
export type TimeTravelPrompt = { request: TimeTravelChoice } & (
  | { kind: "callbacks"; plan: TimeTravelPlan }
  | { kind: "difference"; message: string }
);

/** How a time travel ended: with the session that continues, with a question, or with an error. */
export type TimeTravelOutcome = { continued: OperationResult } | { question: TimeTravelPrompt } | { error: string };

const toInput = (request: TimeTravelChoice, force: boolean): TimeTravelRequest => ({
  action: request.action,
  row: request.row?.index ?? null,
  force,
});

/** Asks the server what would run again, and performs it unless a person has to confirm callbacks first. */
export async function planTimeTravel(session: SessionDetail, request: TimeTravelChoice): Promise<TimeTravelOutcome> {
  try {
    const plan = await api.planTimeTravel(session.session_id, toInput(request, false));
    if (plan.callbacks.length) return { question: { kind: "callbacks", request, plan } };
  } catch (error) {
    return { error: getErrorMessage(error) };
  }
  return performTimeTravel(session, request, false);
}

/** Performs one that needs no confirmation or has it; a run that differs from the recorded one is a question. */
export async function performTimeTravel(
  session: SessionDetail,
  request: TimeTravelChoice,
  force: boolean,
): Promise<TimeTravelOutcome> {
  const waiting = findModelTurn(session);
  try {
    const isEdit = request.isEdit && request.row;
    const prefill: Prefill | null = isEdit && request.row ? await loadPrefill(session.session_id, request.row) : null;
    // Before the request: the live update that it causes may arrive before its response.
    if (waiting) prefills.leftTurns.add(waiting.request_id);
    const next = await api.timeTravel(session.session_id, toInput(request, force));
    if (prefill) prefills.put(next.session_id, prefill);
    if (request.action === "fork" && !request.row) await copyUnsent(session.session_id, next.session_id);
    return { continued: next };
  } catch (error) {
    if (waiting) prefills.leftTurns.delete(waiting.request_id);
    if (error instanceof ApiError && error.body.can_override && !force) {
      return { question: { kind: "difference", request, message: error.message } };
    }
    return { error: getErrorMessage(error) };
  }
}

/** Takes what was typed and attached along: the whole session continues, possibly after its server was killed. */
async function copyUnsent(fromId: string, toId: string): Promise<void> {
  copyDrafts(fromId, toId);
  // Files that the browser cannot read are still in the session that was forked.
  const files = await readFiles(fromId).catch(() => []);
  if (files.length) await writeFiles(toId, files).catch(() => {});
}

/** After how many milliseconds the server is asked what a time travel waits for, and how often from then on. */
const PROGRESS_AFTER = 2_000;
const PROGRESS_INTERVAL = 500;

/** Calls `onProgress` with what a time travel waits for, if it takes long; returns a function that stops it. */
export function watchProgress(
  sessionId: string,
  onProgress: (progress: TimeTravelProgress | null) => void,
): () => void {
  let isOver = false;
  const ask = async () => {
    // A request that fails says nothing about the time travel: its own response is still to come.
    const progress = await api.getTimeTravelProgress(sessionId).catch(() => null);
    if (isOver) return;
    onProgress(progress?.waits_for ? progress : null);
    timer = setTimeout(ask, PROGRESS_INTERVAL);
  };
  let timer = setTimeout(ask, PROGRESS_AFTER);
  return () => {
    isOver = true;
    clearTimeout(timer);
    onProgress(null);
  };
}

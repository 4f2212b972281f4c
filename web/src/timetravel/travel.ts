/** What a person asked for and what is shown before it happens, independent of the components. */

import { ApiError, api, getErrorMessage } from "../api/client";
import type { Row, SessionDetail, TravelInput, TravelPlan, TravelProgress } from "../api/types";
import { copyDrafts } from "../composer/drafts";
import { readFiles, writeFiles } from "../state/fileStore";
import { findModelTurn } from "../state/sessionStatus";
import { loadPrefill, type Prefill, prefills } from "./prefill";

/** A step in time: what is asked of the server, and what goes into the composer afterwards. */
export interface Journey {
  action: TravelInput["action"];
  row?: Row;
  /** Whether the message or decision of the row is put into the composer. */
  isEdit?: boolean;
}

/** What a person has to agree to before a journey. */
export type Question = { journey: Journey } & (
  | { kind: "callbacks"; plan: TravelPlan }
  | { kind: "difference"; message: string }
);

/** How a journey ended: with the session to show, with a question, or with an error. */
export type Outcome = { session: SessionDetail } | { question: Question } | { error: string };

const toInput = (journey: Journey, anyway: boolean): TravelInput => ({
  action: journey.action,
  row: journey.row?.index ?? null,
  anyway,
});

/** Starts a journey. Callbacks that would run again are a question first. */
export async function startJourney(session: SessionDetail, journey: Journey): Promise<Outcome> {
  try {
    const plan = await api.planTravel(session.session_id, toInput(journey, false));
    if (plan.callbacks.length) return { question: { kind: "callbacks", journey, plan } };
  } catch (error) {
    return { error: getErrorMessage(error) };
  }
  return finishJourney(session, journey, false);
}

/** Makes a journey that a person has agreed to; a run that differs from what was recorded is a question. */
export async function finishJourney(session: SessionDetail, journey: Journey, anyway: boolean): Promise<Outcome> {
  const waiting = findModelTurn(session);
  try {
    const isEdit = journey.isEdit && journey.row;
    const prefill: Prefill | null = isEdit && journey.row ? await loadPrefill(session.session_id, journey.row) : null;
    // Before the journey: the live update of what it leads to may arrive before its response.
    if (waiting) prefills.leftTurns.add(waiting.request_id);
    const next = await api.travel(session.session_id, toInput(journey, anyway));
    if (prefill) prefills.put(next.session_id, prefill);
    if (journey.action === "fork" && !journey.row) await copyUnsent(session.session_id, next.session_id);
    return { session: next };
  } catch (error) {
    if (waiting) prefills.leftTurns.delete(waiting.request_id);
    if (error instanceof ApiError && error.body.can_override && !anyway) {
      return { question: { kind: "difference", journey, message: error.message } };
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

/** After how many milliseconds the server is asked what a journey waits for, and how often from then on. */
const PROGRESS_AFTER = 2_000;
const PROGRESS_INTERVAL = 500;

/** Calls `onProgress` with what a journey waits for, if it takes long; returns what ends that. */
export function watchProgress(sessionId: string, onProgress: (progress: TravelProgress | null) => void): () => void {
  let isOver = false;
  const ask = async () => {
    // A request that fails says nothing about the journey: its own answer is still to come.
    const progress = await api.getTravelProgress(sessionId).catch(() => null);
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

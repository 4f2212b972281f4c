/** Puts an earlier message or decision into the composer: the composer of its session takes it when it is shown. */

import { useEffect, useState } from "react";
import { ApiError, api } from "../api/client";
import type { FilePart, MediaFile, Suggestion, TimelineRow } from "../api/types";
import { type Drafts, EMPTY_TURN, hasTurnDraft, type SetDrafts } from "../composer/drafts";
import { draftSuggestion } from "../composer/turnDraft";
import { draftFromJson, serializeDraft } from "../form";
import { writeFiles } from "../state/fileStore";
import { Observable, useObservable } from "../state/observable";

/** Unsent input for a composer. */
export interface Prefill {
  draft: (before: Drafts) => Partial<Drafts>;
  /** Whether it would replace something that was typed. */
  replaces: (before: Drafts) => boolean;
  /** The files of a message. */
  files: FilePart[];
}

class Prefills extends Observable {
  private readonly bySession = new Map<string, Prefill>();
  /** The turns that waited when a person went back: nobody else has answered them. */
  readonly leftTurns = new Set<string>();

  put(sessionId: string, prefill: Prefill): void {
    this.bySession.set(sessionId, prefill);
    this.notify();
  }

  take(sessionId: string): Prefill | undefined {
    const prefill = this.bySession.get(sessionId);
    this.bySession.delete(sessionId);
    return prefill;
  }
}

export const prefills = new Prefills();

/** Applies what was put for a session. It never overwrites what was typed: then it is offered instead. */
export function usePrefill(sessionId: string, drafts: Drafts, setDrafts: SetDrafts) {
  useObservable(prefills);
  const [pending, setPending] = useState<Prefill | null>(null);
  /** Changes with each prefill, whose files an editor reads when it is mounted. */
  const [generation, setGeneration] = useState(0);
  const apply = (prefill: Prefill) => {
    setPending(null);
    const show = () => {
      setDrafts(prefill.draft);
      setGeneration((before) => before + 1);
    };
    // Without files nothing is written: those that are attached stay.
    if (prefill.files.length) writeFiles(sessionId, prefill.files).then(show, show);
    else show();
  };
  useEffect(() => {
    const prefill = prefills.take(sessionId);
    if (prefill?.replaces(drafts)) setPending(prefill);
    else if (prefill) apply(prefill);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: it is for one session
  useEffect(() => setPending(null), [sessionId]);
  return { generation, pending, apply, dismiss: () => setPending(null) };
}

/** What was decided in a turn, or sent in a message, as unsent input. */
export async function loadPrefill(sessionId: string, row: TimelineRow): Promise<Prefill> {
  if (row.turn_id) return prefillDecision(await api.getDecision(sessionId, row.turn_id));
  const detail = await api.getRow(sessionId, row.index, true);
  const text = detail.values.find((value) => value.label === "text" || value.label === "data")?.text ?? "";
  return prefillMessage(text, await Promise.all(detail.media.map(loadFile)));
}

/** A decision that is made again: calls in their forms, or the final response. */
export function prefillDecision(decision: Suggestion): Prefill {
  const draft = { ...EMPTY_TURN, ...draftSuggestion(decision, isJsonObject(decision.text)) };
  return { draft: () => draft, replaces: hasTurnDraft, files: [] };
}

/** A message that is sent again: a text, or a form for an agent that takes data. */
export function prefillMessage(text: string, files: FilePart[] = []): Prefill {
  const draft = { message: text, messageForm: isJsonObject(text) ? serializeDraft(draftFromJson(text)) : null };
  const replaces = (before: Drafts) => before.message.trim() !== "" || Boolean(before.messageForm);
  return { draft: () => draft, replaces, files };
}

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

async function loadFile(file: MediaFile): Promise<FilePart> {
  const response = await fetch(file.url, { credentials: "same-origin" });
  if (!response.ok)
    throw new ApiError(response.status, {
      error: "NotFound",
      message: `The file ${file.name} could not be read.`,
      problems: [],
      can_override: false,
    });
  const bytes = new Uint8Array(await response.arrayBuffer());
  let binary = "";
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return { name: file.name, mime_type: file.mime_type, data: btoa(binary) };
}

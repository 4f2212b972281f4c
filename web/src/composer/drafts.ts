import { useEffect } from "react";
import type { FieldProblem } from "../api/types";
import { createDraft, deserializeDraft, draftToJson, type FormDraft, type Schema } from "../form";
import { readStored, removeStored, useStoredState, writeStored } from "../state/storedState";
import type { ToolDraft } from "./toolDraft";

export interface StackedCall {
  tool: string;
  /** A JSON object as text. */
  arguments: string;
}

/** A serialized form draft. */
export type StoredForm = string;

/** The input that one request asks for: a form by its schema, or a text without one. */
export interface InputDraft {
  requestId: string;
  form?: StoredForm;
  text?: string;
}

/** A structured response on its way to an agent. */
export interface SentResponse {
  agentName: string;
  form: StoredForm;
}

/** All unsent input of one session. It is stored in the browser, so a reload keeps it. */
export interface Drafts {
  mode: "call" | "answer";
  tool: string | null;
  /** What is searched for in the list of tools. */
  find: string;
  forms: Record<string, StoredForm>;
  stack: StackedCall[];
  /** The text sent along with the calls. */
  callText: string;
  answer: string;
  answerForm: StoredForm | null;
  message: string;
  messageForm: StoredForm | null;
  /** The payload of a call that needs consent, and the id of its question. */
  consent: string;
  consentQuestion: string;
  /** The response to a call of a tool that the person plays. */
  toolDraft: ToolDraft | null;
  /** The input that a paused agent asks for; a credential is never a draft. */
  inputDraft: InputDraft | null;
  /** The structured response that was sent last: it is edited again if ADK rejects it where the agent runs. */
  sentResponse: SentResponse | null;
  /** What was typed while the agent ran: it goes into the first field of what comes next. */
  typedAhead: string;
}

/** The draft of a turn that has no input. */
export const EMPTY_TURN = {
  mode: "call",
  tool: null,
  find: "",
  forms: {},
  stack: [],
  callText: "",
  answer: "",
  answerForm: null,
} satisfies Partial<Drafts>;

/** What the browser's storage may hold: also drafts that an earlier version wrote. */
type StoredDrafts = Partial<Drafts> & {
  /** The earlier name of `callText`. */
  beside?: string;
};

const EMPTY_DRAFTS: Drafts = {
  ...EMPTY_TURN,
  message: "",
  messageForm: null,
  consent: "",
  consentQuestion: "",
  toolDraft: null,
  inputDraft: null,
  sentResponse: null,
  typedAhead: "",
};

/** Whether the turn has any unsent input. */
export function hasTurnDraft(drafts: Drafts): boolean {
  return Object.entries(EMPTY_TURN).some(
    ([name, empty]) => name !== "mode" && JSON.stringify(drafts[name as keyof Drafts]) !== JSON.stringify(empty),
  );
}

/** The part of the drafts that is for one turn. */
export function pickTurnDraft({ mode, tool, find, forms, stack, callText, answer, answerForm }: Drafts) {
  return { mode, tool, find, forms, stack, callText, answer, answerForm };
}

export type SetDrafts = (change: Partial<Drafts> | ((before: Drafts) => Partial<Drafts>)) => void;

export function useDrafts(sessionId: string): [Drafts, SetDrafts] {
  const key = `draft:${sessionId}`;
  const [stored, setStored] = useStoredState<StoredDrafts>(key, {});
  const drafts = upgradeDrafts(stored);
  const isEmpty = JSON.stringify(drafts) === JSON.stringify(EMPTY_DRAFTS);
  useEffect(() => {
    if (isEmpty) removeStored(key);
  }, [isEmpty, key]);
  const set: SetDrafts = (change) =>
    setStored((before) => {
      const current = upgradeDrafts(before);
      return { ...current, ...(typeof change === "function" ? change(current) : change) };
    });
  return [drafts, set];
}

/** Lets a session begin with the unsent input of another one, which keeps it. */
export function copyDrafts(fromId: string, toId: string): void {
  const stored = readStored<StoredDrafts | null>(`draft:${fromId}`, null);
  if (stored) writeStored(`draft:${toId}`, stored);
}

function upgradeDrafts({ beside, ...stored }: StoredDrafts): Drafts {
  return { ...EMPTY_DRAFTS, ...(beside === undefined ? {} : { callText: beside }), ...stored };
}

/** The stored form, or an empty one. */
export function restoreForm(stored: StoredForm | null | undefined, schema: Schema): FormDraft {
  return (stored ? deserializeDraft(stored) : null) ?? createDraft(schema);
}

/** The JSON that a form sends, or the problems that prevent sending. */
export function readFormJson(draft: FormDraft, schema: Schema): { text: string } | { problems: FieldProblem[] } {
  const { text, problems } = draftToJson(draft, schema);
  if (text !== null) return { text };
  return draft.value === undefined && draft.raw === null && schema.type === "object" ? { text: "{}" } : { problems };
}

import { useEffect } from "react";
import {
  draftToJson,
  emptyDraft,
  type FormDraft,
  type Problem,
  restoredDraft,
  type Schema,
  storedDraft,
} from "../form";

import { forget, useKept } from "../state/kept";

export interface StackedCall {
  tool: string;
  /** A JSON object as text. */
  arguments: string;
}

/** A form as it is kept: the text of its draft. */
export type Form = string;

/** All that a person has typed and not sent yet, in one session. A reload of the page does not lose it. */
export interface Drafts {
  mode: "call" | "answer";
  tool: string | null;
  forms: Record<string, Form>;
  stack: StackedCall[];
  /** What is said beside the calls. */
  beside: string;
  answer: string;
  answerForm: Form | null;
  message: string;
  messageForm: Form | null;
  consent: string;
}

/** What is left of a turn once it is decided. */
export const NO_TURN = {
  mode: "call",
  tool: null,
  forms: {},
  stack: [],
  beside: "",
  answer: "",
  answerForm: null,
} satisfies Partial<Drafts>;

const NOTHING: Drafts = { ...NO_TURN, message: "", messageForm: null, consent: "" };

/** Whether something of a turn is typed. */
export function hasTurn(drafts: Drafts): boolean {
  return Object.entries(NO_TURN).some(
    ([name, empty]) => name !== "mode" && JSON.stringify(drafts[name as keyof Drafts]) !== JSON.stringify(empty),
  );
}

export type SetDrafts = (change: Partial<Drafts> | ((before: Drafts) => Partial<Drafts>)) => void;

export function useDrafts(sessionId: string): [Drafts, SetDrafts] {
  const key = `draft:${sessionId}`;
  const [kept, keep] = useKept<Partial<Drafts>>(key, {});
  const empty = JSON.stringify({ ...NOTHING, ...kept }) === JSON.stringify(NOTHING);
  useEffect(() => {
    if (empty) forget(key);
  }, [empty, key]);
  const set: SetDrafts = (change) =>
    keep((before) => {
      const whole = { ...NOTHING, ...before };
      return { ...whole, ...(typeof change === "function" ? change(whole) : change) };
    });
  return [{ ...NOTHING, ...kept }, set];
}

/** The tools a person used last, the latest first. */
export function useRecent(agent: string): [string[], (tools: string[]) => void] {
  const [recent, setRecent] = useKept<string[]>(`recent:${agent}`, []);
  return [recent, (tools) => setRecent((before) => [...new Set([...tools.toReversed(), ...before])].slice(0, 20))];
}

/** The form as it was kept, or one that nobody has touched. */
export function formOf(kept: Form | null | undefined, schema: Schema): FormDraft {
  return (kept ? restoredDraft(kept) : null) ?? emptyDraft(schema);
}

export const keptForm = storedDraft;

/** What a form would send; problems that keep it from being sent at all. */
export function reading(draft: FormDraft, schema: Schema): { text: string } | { problems: Problem[] } {
  const { text, problems } = draftToJson(draft, schema);
  if (text !== null) return { text };
  return draft.value === undefined && draft.raw === null && schema.type === "object" ? { text: "{}" } : { problems };
}

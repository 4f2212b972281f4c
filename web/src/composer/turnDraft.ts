/** Pure changes to the draft of a turn: its collected calls, and suggestions of the agent's own model. */

import type { CallInput, FieldProblem, Suggestion } from "../api/types";
import { draftFromJson, serializeDraft } from "../form";
import type { Drafts, StackedCall, StoredForm } from "./drafts";

/** The calls of a turn as the server takes them; `open` is the call that is still in the form. */
export function listCalls(stack: StackedCall[], open: StackedCall | null): CallInput[] {
  return [...stack, ...(open ? [open] : [])].map((call) => ({ name: call.tool, arguments: call.arguments }));
}

/** Collects the call that was in the form, which is then empty. */
export function stackCall(drafts: Drafts, call: StackedCall): Partial<Drafts> {
  return { stack: [...drafts.stack, call], tool: null, forms: removeForm(drafts.forms, call.tool) };
}

/** Moves a collected call into the form; the call that was in the form, if any, takes its position. */
export function openStackedCall(drafts: Drafts, index: number, open: StackedCall | null): Partial<Drafts> {
  const call = drafts.stack[index];
  if (!call) return {};
  const stack = drafts.stack.flatMap((one, position) => (position !== index ? [one] : open ? [open] : []));
  return {
    mode: "call",
    stack,
    tool: call.tool,
    forms: { [call.tool]: serializeDraft(draftFromJson(call.arguments)) },
  };
}

export function moveCallUp(stack: StackedCall[], index: number): StackedCall[] {
  const next = [...stack];
  const [call] = next.splice(index, 1);
  if (call) next.splice(index - 1, 0, call);
  return next;
}

export function removeCall(stack: StackedCall[], index: number): StackedCall[] {
  return stack.filter((_, position) => position !== index);
}

/** A suggestion as a draft: one call in its form, several on the stack, or a response. */
export function draftSuggestion(suggestion: Suggestion, hasResponseForm: boolean): Partial<Drafts> {
  const { calls, text } = suggestion;
  const [only] = calls;
  if (only && calls.length === 1) {
    const forms = { [only.name]: serializeDraft(draftFromJson(only.arguments)) };
    return { mode: "call", tool: only.name, forms, stack: [], callText: text };
  }
  if (calls.length) {
    const stack = calls.map((call) => ({ tool: call.name, arguments: call.arguments }));
    return { mode: "call", tool: null, stack, callText: text };
  }
  return { mode: "answer", answer: text, answerForm: hasResponseForm ? serializeDraft(draftFromJson(text)) : null };
}

/** Each problem once: a check and a rejected request can report the same one. */
export function uniqueProblems(problems: FieldProblem[]): FieldProblem[] {
  return [...new Map(problems.map((one) => [`${one.path}\n${one.message}`, one])).values()];
}

function removeForm(forms: Record<string, StoredForm>, name: string): Record<string, StoredForm> {
  const { [name]: _, ...rest } = forms;
  return rest;
}

/** Pure changes to the draft of a turn: its collected calls, and suggestions of the agent's own model. */

import type { CallInput, FieldProblem, Suggestion, ToolInfo } from "../api/types";
import { createDraft, draftFromJson, type Schema, serializeDraft } from "../form";
import { type Drafts, readFormJson, restoreForm, type StackedCall, type StoredForm } from "./drafts";

/** The parameters of a tool that is not offered: nothing is known of them. */
export const ANY_ARGUMENTS: Schema = { type: "object", additionalProperties: true };

/** The calls of a turn as the server takes them; `open` is the call that is still in the form. */
export function listCalls(stack: StackedCall[], open: StackedCall | null): CallInput[] {
  return [...stack, ...(open ? [open] : [])].map((call) => ({ name: call.tool, arguments: call.arguments }));
}

/** Collects the call that was in the form, which is then empty. */
export function stackCall(drafts: Drafts, call: StackedCall): Partial<Drafts> {
  return { stack: [...drafts.stack, call], tool: null, forms: removeForm(drafts.forms, call.tool) };
}

/** Whether the form of a tool still holds a call; which of its fields were visited does not matter. */
export function holdsCall(forms: Record<string, StoredForm>, call: StackedCall, schema: Schema): boolean {
  const read = readFormJson(restoreForm(forms[call.tool], schema), schema);
  return "text" in read && read.text === call.arguments;
}

/** Adds a call to the turn, and leaves open what is open; its form stays if something else was typed into it. */
export function stackCallInBackground(drafts: Drafts, call: StackedCall, schema: Schema): Partial<Drafts> {
  const isSame = holdsCall(drafts.forms, call, schema);
  return { stack: [...drafts.stack, call], forms: isSame ? removeForm(drafts.forms, call.tool) : drafts.forms };
}

/** Moves a collected call into its form; the calls whose forms are closed for that take its position. */
export function openStackedCall(drafts: Drafts, index: number, displaced: StackedCall[]): Partial<Drafts> {
  const call = drafts.stack[index];
  if (!call) return {};
  const stack = drafts.stack.flatMap((call, position) => (position === index ? displaced : [call]));
  const forms = displaced.reduce((left, call) => removeForm(left, call.tool), drafts.forms);
  return { ...fillForm({ ...drafts, forms }, call), stack };
}

/** Opens the form of a tool, filled with a call. */
export function fillForm(drafts: Drafts, call: StackedCall): Partial<Drafts> {
  const form = serializeDraft(draftFromJson(call.arguments));
  return { mode: "call", tool: call.tool, forms: { ...drafts.forms, [call.tool]: form } };
}

/** A call whose form is filled in, but which was not added to the turn. */
export interface FilledForm extends StackedCall {
  /** Whether its arguments can be read as JSON. */
  isReadable: boolean;
}

/** The calls whose forms are filled in, but which were not added to the turn. */
export function listFilledForms(forms: Record<string, StoredForm>, tools: ToolInfo[]): FilledForm[] {
  return Object.entries(forms).flatMap(([name, stored]): FilledForm[] => {
    const schema = tools.find((tool) => tool.name === name)?.parameters ?? ANY_ARGUMENTS;
    const draft = restoreForm(stored, schema);
    const read = readFormJson(draft, schema);
    if (!("text" in read)) {
      const typed = draft.raw ?? Object.values(draft.texts).join(" ");
      return typed.trim() ? [{ tool: name, arguments: typed, isReadable: false }] : [];
    }
    const empty = readFormJson(createDraft(schema), schema);
    const isEmpty = read.text === "{}" || ("text" in empty && empty.text === read.text);
    return isEmpty ? [] : [{ tool: name, arguments: read.text, isReadable: true }];
  });
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
  return [...new Map(problems.map((problem) => [`${problem.path}\n${problem.message}`, problem])).values()];
}

/** The forms without that of one tool. */
export function removeForm(forms: Record<string, StoredForm>, name: string): Record<string, StoredForm> {
  const { [name]: _, ...rest } = forms;
  return rest;
}

/** What a person types as a tool: the result, an error that the tool returns, or an exception that it raises. */

import type { FieldProblem, ToolResponseInput } from "../api/types";
import type { Schema } from "../form";
import { stringify } from "../json/lossless";
import { type Drafts, readFormJson, restoreForm, type StoredForm } from "./drafts";

export type ResponseMode = "result" | "error" | "raise";

/** The unsent response to one call. */
export interface ToolDraft {
  /** The call that it is for. */
  requestId: string;
  mode: ResponseMode;
  form: StoredForm | null;
  /** The error that the tool returns. */
  error: string;
  /** The exception that the tool raises. */
  errorType: string;
  errorMessage: string;
}

export const DEFAULT_EXCEPTION = "RuntimeError";

/** Exceptions that a tool often raises; any other name can be typed. */
export const EXCEPTIONS = [
  "ConnectionError",
  "KeyError",
  "LookupError",
  "PermissionError",
  DEFAULT_EXCEPTION,
  "TimeoutError",
  "ValueError",
];

const NAME = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** The draft of a call; an empty one if what is stored is for another call. */
export function readToolDraft(drafts: Pick<Drafts, "toolDraft">, requestId: string): ToolDraft {
  const stored = drafts.toolDraft;
  if (stored?.requestId === requestId) return stored;
  return { requestId, mode: "result", form: null, error: "", errorType: DEFAULT_EXCEPTION, errorMessage: "" };
}

/** What is sent, or the problems that prevent sending. An error that the tool returns need not match its schema. */
export function buildToolResponse(
  draft: ToolDraft,
  schema: Schema,
  force: boolean,
): { response: Omit<ToolResponseInput, "decision_id"> } | { problems: FieldProblem[] } {
  const empty = { result: "null", error_type: "", error_message: "", force };
  if (draft.mode === "raise") {
    return { response: { ...empty, error_type: draft.errorType.trim(), error_message: draft.errorMessage } };
  }
  if (draft.mode === "error") {
    return { response: { ...empty, result: stringify(new Map([["error", draft.error]])), force: true } };
  }
  const read = readFormJson(restoreForm(draft.form, schema), schema);
  return "text" in read ? { response: { ...empty, result: read.text } } : read;
}

/** Why the draft cannot be sent yet; empty if it can. */
export function findDraftProblem(draft: ToolDraft): string {
  if (draft.mode === "error" && !draft.error.trim()) return "Write what went wrong.";
  if (draft.mode === "raise" && !NAME.test(draft.errorType.trim())) return "Write the name of an exception.";
  return "";
}

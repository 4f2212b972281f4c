import { useEffect } from "react";
import type { Briefing, FieldProblem, ToolInfo } from "../api/types";
import { type FormDraft, type Schema, serializeDraft } from "../form";
import type { ActionError } from "../ui/useAction";
import { type Drafts, readFormJson, restoreForm, type SetDrafts } from "./drafts";
import { ANY_ARGUMENTS, uniqueProblems } from "./turnDraft";
import { filterVisibleProblems, useFormCheck } from "./useFormCheck";
import { useWasRejected } from "./useWasRejected";

/** The forms of a turn, the arguments of the chosen tool and the structured response, with what is wrong in them. */
export function useTurnForms({
  sessionId,
  turnId,
  briefing,
  drafts,
  setDrafts,
  error,
  clearError,
}: {
  sessionId: string;
  turnId: string;
  briefing: Briefing | null;
  drafts: Drafts;
  setDrafts: SetDrafts;
  /** Why the last decision was rejected. */
  error: ActionError | null;
  clearError: () => void;
}) {
  const checks = useFormCheck(sessionId, turnId);
  const [wasRejected, setWasRejected] = useWasRejected(error);
  const tools = briefing?.tools ?? [];
  const isOffered = (name: string) => briefing === null || tools.some((tool) => tool.name === name);
  const tool =
    tools.find((tool) => tool.name === drafts.tool) ?? (drafts.tool && briefing ? inventTool(drafts.tool) : undefined);
  const isAnswering = drafts.mode === "answer" || tools.length === 0;
  const callForm = tool ? restoreForm(drafts.forms[tool.name], tool.parameters) : null;
  const responseSchema = briefing?.output_schema ?? null;
  const responseForm = responseSchema ? restoreForm(drafts.answerForm, responseSchema) : null;

  const reset = () => {
    checks.clear();
    setWasRejected(false);
    clearError();
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: problems of the last turn do not concern this one
  useEffect(reset, [turnId]);

  const setCallForm = (next: FormDraft) => {
    if (!tool) return;
    setDrafts((before) => ({ forms: { ...before.forms, [tool.name]: serializeDraft(next) } }));
    clearError();
    if (isOffered(tool.name)) checks.checkSoon("call", tool.name, next, tool.parameters);
  };
  const setResponseForm = (next: FormDraft) => {
    if (!responseSchema) return;
    setDrafts({ answerForm: serializeDraft(next) });
    clearError();
    checks.checkSoon("answer", "", next, responseSchema);
  };
  const showProblems = (problems: FieldProblem[]) => {
    checks.showProblems(problems);
    if (problems.length) setWasRejected(true);
  };
  const readForm = (draft: FormDraft, schema: Schema): string | null => {
    const result = readFormJson(draft, schema);
    if ("text" in result) return result.text;
    showProblems(result.problems);
    return null;
  };

  const problems = uniqueProblems([...(error?.problems ?? []), ...checks.problems]).filter(
    (problem) => problem.call_index == null || problem.call_index === drafts.stack.length,
  );
  return {
    tools,
    /** Whether the turn offers a tool of this name. */
    isOffered,
    tool,
    isAnswering,
    callForm,
    setCallForm,
    checkCallForm: () => {
      if (tool && callForm && isOffered(tool.name)) checks.checkNow("call", tool.name, callForm, tool.parameters);
    },
    /** The arguments as JSON; null if they cannot be read, with the problems shown. */
    readCallForm: () => (tool && callForm ? readForm(callForm, tool.parameters) : null),
    responseSchema,
    responseForm,
    setResponseForm,
    checkResponseForm: () => {
      if (responseForm && responseSchema) checks.checkNow("answer", "", responseForm, responseSchema);
    },
    /** The response as JSON; null if it cannot be read, with the problems shown. */
    readResponseForm: () => (responseForm && responseSchema ? readForm(responseForm, responseSchema) : null),
    problems,
    visibleProblems: filterVisibleProblems(problems, isAnswering ? responseForm : callForm, wasRejected),
    showProblems,
    clearProblems: checks.clear,
    wasRejected,
    setWasRejected,
    reset,
  };
}

/** A tool that is not offered: its name, and any arguments. */
function inventTool(name: string): ToolInfo {
  return { name, description: "", parameters: ANY_ARGUMENTS, asks_for_consent: false, response_schema: null };
}

export type TurnForms = ReturnType<typeof useTurnForms>;

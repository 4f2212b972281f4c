import { useEffect, useState } from "react";
import type { Briefing } from "../api/types";
import type { FormDraft, Schema } from "../form";
import type { Trouble } from "../ui/action";
import { type Drafts, formOf, keptForm, reading, type SetDrafts } from "./drafts";
import { uniqueProblems } from "./turnDraft";
import { useChecks, visible } from "./useChecks";

/** The forms of a turn, the arguments of the chosen tool and the structured response, with what is wrong in them. */
export function useTurnForms({
  sessionId,
  turnId,
  briefing,
  drafts,
  setDrafts,
  trouble,
  clearTrouble,
}: {
  sessionId: string;
  turnId: string;
  briefing: Briefing | null;
  drafts: Drafts;
  setDrafts: SetDrafts;
  /** Why the last decision was rejected. */
  trouble: Trouble | null;
  clearTrouble: () => void;
}) {
  const checks = useChecks(sessionId, turnId);
  const [wasTried, setWasTried] = useState(false);
  const tools = briefing?.tools ?? [];
  const tool = tools.find((one) => one.name === drafts.tool);
  const isAnswering = drafts.mode === "answer" || tools.length === 0;
  const callForm = tool ? formOf(drafts.forms[tool.name], tool.parameters) : null;
  const responseSchema = briefing?.output_schema ?? null;
  const responseForm = responseSchema ? formOf(drafts.answerForm, responseSchema) : null;

  const reset = () => {
    checks.clear();
    setWasTried(false);
    clearTrouble();
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: problems of the last turn do not concern this one
  useEffect(reset, [turnId]);

  const setCallForm = (next: FormDraft) => {
    if (!tool) return;
    setDrafts((before) => ({ forms: { ...before.forms, [tool.name]: keptForm(next) } }));
    clearTrouble();
    checks.soon("call", tool.name, next, tool.parameters);
  };
  const setResponseForm = (next: FormDraft) => {
    if (!responseSchema) return;
    setDrafts({ answerForm: keptForm(next) });
    clearTrouble();
    checks.soon("answer", "", next, responseSchema);
  };
  const readForm = (draft: FormDraft, schema: Schema): string | null => {
    setWasTried(true);
    const found = reading(draft, schema);
    if ("text" in found) return found.text;
    checks.take(found.problems);
    return null;
  };

  const problems = uniqueProblems([...(trouble?.problems ?? []), ...checks.problems]).filter(
    (one) => one.call == null || one.call === drafts.stack.length,
  );
  return {
    tools,
    tool,
    isAnswering,
    callForm,
    setCallForm,
    checkCallForm: () => {
      if (tool && callForm) checks.now("call", tool.name, callForm, tool.parameters);
    },
    /** The arguments as JSON; null if they cannot be read, with the problems shown. */
    readCallForm: () => (tool && callForm ? readForm(callForm, tool.parameters) : null),
    responseSchema,
    responseForm,
    setResponseForm,
    checkResponseForm: () => {
      if (responseForm && responseSchema) checks.now("answer", "", responseForm, responseSchema);
    },
    /** The response as JSON; null if it cannot be read, with the problems shown. */
    readResponseForm: () => (responseForm && responseSchema ? readForm(responseForm, responseSchema) : null),
    problems,
    visibleProblems: visible(problems, isAnswering ? responseForm : callForm, wasTried),
    showProblems: checks.take,
    clearProblems: checks.clear,
    /** Whether sending was tried, so that all problems are shown. */
    wasTried,
    setWasTried,
    reset,
  };
}

export type TurnForms = ReturnType<typeof useTurnForms>;

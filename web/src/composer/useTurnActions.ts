import type { RefObject } from "react";
import { api } from "../api/client";
import type { CallInput, FieldProblem } from "../api/types";
import { focusFirst } from "../ui/focus";
import { focusShortcut } from "../ui/keyboard";
import { type Drafts, EMPTY_TURN, type SetDrafts, type StackedCall, useRecentTools } from "./drafts";
import { listCalls, openStackedCall, stackCall } from "./turnDraft";
import type { useDecision } from "./useDecision";
import type { TurnForms } from "./useTurnForms";

/** What a person does in a turn: picks a tool, collects calls, executes them, or sends the final response. */
export function useTurnActions({
  sessionId,
  turnId,
  agent,
  frame,
  drafts,
  setDrafts,
  forms,
  decision,
  onDecided,
}: {
  sessionId: string;
  turnId: string;
  agent: string;
  frame: RefObject<HTMLElement | null>;
  drafts: Drafts;
  setDrafts: SetDrafts;
  forms: TurnForms;
  decision: ReturnType<typeof useDecision>;
  onDecided: (turnId: string) => void;
}) {
  const { tool, callForm, isAnswering } = forms;
  const [recentTools, addRecentTools] = useRecentTools(agent);

  const focusFinder = () => window.setTimeout(() => focusShortcut("tool"));
  const pickTool = (name: string) => {
    setDrafts({ tool: name, mode: "call" });
    forms.reset();
    focusFirst(frame, ".sf");
  };
  const findTool = () => {
    setDrafts({ tool: null, mode: "call" });
    focusFinder();
  };

  const collectCalls = (): CallInput[] | null => {
    if (!tool || !callForm) return listCalls(drafts.stack, null);
    const text = forms.readCallForm();
    return text === null ? null : listCalls(drafts.stack, { tool: tool.name, arguments: text });
  };
  const finish = (wasSent: boolean, usedTools: string[]) => {
    if (!wasSent) return;
    onDecided(turnId);
    if (usedTools.length) addRecentTools(usedTools);
    forms.clearProblems();
    setDrafts(EMPTY_TURN);
  };
  const execute = async (anyway: boolean) => {
    const calls = collectCalls();
    if (!calls?.length || decision.isBusy) return;
    const text = drafts.callText.trim() ? drafts.callText : null;
    const wasSent = await decision.decide({ calls, text, data: null, anyway });
    finish(
      wasSent,
      calls.map((call) => call.name),
    );
  };
  const respond = async (anyway: boolean) => {
    if (decision.isBusy) return;
    if (forms.responseForm) {
      const data = forms.readResponseForm();
      if (data !== null) finish(await decision.decide({ calls: [], text: null, data, anyway }), []);
    } else if (drafts.answer.trim()) {
      finish(await decision.decide({ calls: [], text: drafts.answer, data: null, anyway }), []);
    }
  };

  const addCall = async () => {
    const call = collectCalls()?.at(-1);
    if (!tool || !call) return;
    let problems: FieldProblem[] = [];
    const value = { target: "call" as const, tool_name: tool.name, value: call.arguments };
    const wasChecked = await decision.run(async () => {
      problems = await api.checkValue(sessionId, turnId, value);
    });
    forms.showProblems(problems);
    if (!wasChecked || problems.length) return;
    setDrafts((before) => stackCall(before, { tool: tool.name, arguments: call.arguments }));
    forms.setWasTried(false);
    focusFinder();
  };
  const editCall = (index: number) => {
    let open: StackedCall | null = null;
    if (tool && callForm && callForm.value !== undefined) {
      const text = forms.readCallForm();
      if (text === null) return;
      open = { tool: tool.name, arguments: text };
    }
    setDrafts(openStackedCall(drafts, index, open));
    forms.setWasTried(false);
  };

  return {
    recentTools,
    pickTool,
    findTool,
    addCall,
    /** Moves a collected call back into the form. */
    editCall,
    send: (anyway: boolean) => void (isAnswering ? respond(anyway) : execute(anyway)),
  };
}

export type TurnActions = ReturnType<typeof useTurnActions>;

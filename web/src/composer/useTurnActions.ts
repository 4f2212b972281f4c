import { useRef, useState } from "react";
import { api } from "../api/client";
import type { CallInput, FieldProblem } from "../api/types";
import { createDraft, serializeDraft } from "../form";
import { type Drafts, EMPTY_TURN, hasTurnDraft, pickTurnDraft, type SetDrafts, type StackedCall } from "./drafts";
import {
  ANY_ARGUMENTS,
  fillForm,
  holdsCall,
  listCalls,
  listFilledForms,
  openStackedCall,
  removeForm,
  stackCall,
  stackCallInBackground,
} from "./turnDraft";
import type { useDecision } from "./useDecision";
import type { useFirstFieldFocus } from "./useFirstFieldFocus";
import { useSendAndClear } from "./useSendAndClear";
import type { TurnForms } from "./useTurnForms";
import { type TurnView, useTurnSteps } from "./useTurnSteps";

/** What a person does in a turn: picks a tool, collects calls, executes them, or sends the final response. */
export function useTurnActions({
  sessionId,
  turnId,
  agentName,
  requestFocus,
  watchTyping,
  drafts,
  setDrafts,
  forms,
  decision,
  onAnswering,
  onDecided,
}: {
  sessionId: string;
  turnId: string;
  agentName: string;
  requestFocus: ReturnType<typeof useFirstFieldFocus>;
  /** Returns a function that returns what was typed into the editor since. */
  watchTyping: () => () => string;
  drafts: Drafts;
  setDrafts: SetDrafts;
  forms: TurnForms;
  decision: ReturnType<typeof useDecision>;
  /** An answer of this tab is on its way, and the turn is over. */
  onAnswering: (turnId: string) => void;
  onDecided: (turnId: string) => void;
}) {
  const { tool, callForm, isAnswering } = forms;
  const [isAskingAboutCalls, setAskingAboutCalls] = useState(false);
  const filledForms = listFilledForms(drafts.forms, forms.tools);
  const hasUnsentCalls = drafts.stack.length > 0 || filledForms.length > 0 || drafts.callText.trim() !== "";
  const hasResponse = forms.responseForm !== null || drafts.answer.trim() !== "";
  const send = (force: boolean) => {
    if (!isAnswering) void execute(force);
    else if (hasUnsentCalls && !force) setAskingAboutCalls(hasResponse);
    else void respond(force);
  };

  /** Counts the changes of what the editor shows. */
  const viewCount = useRef(0);
  const latestForms = useRef(drafts.forms);
  latestForms.current = drafts.forms;
  /** The field in which `/` opened the finder. */
  const slashField = useRef("");
  const view: TurnView = { mode: isAnswering ? "answer" : "call", tool: drafts.tool };
  const steps = useTurnSteps(turnId, view, forms.tools.length > 0, (next) => {
    viewCount.current += 1;
    setDrafts(next);
    forms.reset();
    requestFocus();
  });
  const findTool = (fieldId = "") => {
    slashField.current = fieldId;
    steps.goTo({ mode: "call", tool: null });
  };
  /** A second `/` is a slash after all: it goes where the first one was typed. */
  const typeSlash = () => {
    const fieldId = slashField.current;
    slashField.current = "";
    if (fieldId && steps.goBack()) requestFocus({ fieldId, text: "/" });
  };

  const collectCalls = (): CallInput[] | null => {
    if (!tool || !callForm) return listCalls(drafts.stack, null);
    const text = forms.readCallForm();
    return text === null ? null : listCalls(drafts.stack, { tool: tool.name, arguments: text });
  };
  const sendAndClear = useSendAndClear(turnId);
  /** Sends the decision. What was typed before it arrived was meant for what comes next. */
  const decide = async (part: Parameters<typeof decision.decide>[0], kept: Partial<Drafts> = {}) => {
    const readTyped = watchTyping();
    const sent = pickTurnDraft(drafts);
    const isDecided = await sendAndClear({
      send: () => decision.decide(part),
      clear: () => {
        const typed = readTyped();
        setDrafts((before) => ({ ...EMPTY_TURN, ...kept, typedAhead: before.typedAhead + typed }));
      },
      onLeave: () => {
        onAnswering(turnId);
        requestFocus("free");
      },
      restore: () => setDrafts((before) => (hasTurnDraft(before) ? {} : { ...sent, sentResponse: null })),
    });
    if (!isDecided) return;
    onDecided(turnId);
    forms.clearProblems();
  };
  const sendCalls = async (calls: CallInput[], callText: string, force: boolean, kept: Partial<Drafts>) => {
    if (!calls.length || decision.isBusy) return;
    const text = callText.trim() ? callText : null;
    // The server cannot tell a name that was made up from a mistake: the person chose it, so it is sent anyway.
    const hasInvented = calls.some((call) => !forms.isOffered(call.name));
    if (hasInvented && !force && !(await checkOpenCall())) return;
    await decide({ calls, text, json_text: null, force: force || hasInvented }, kept);
  };
  const execute = async (force: boolean) => {
    // A response that is half written stays: the next turn may be the one that it answers.
    const { answer, answerForm } = drafts;
    const otherForms = tool ? removeForm(drafts.forms, tool.name) : drafts.forms;
    await sendCalls(collectCalls() ?? [], drafts.callText, force, { answer, answerForm, forms: otherForms });
  };
  const executeStack = () => {
    setAskingAboutCalls(false);
    const text = [drafts.callText, drafts.answer].filter((part) => part.trim()).join("\n\n");
    void sendCalls(listCalls([...drafts.stack, ...filledForms], null), text, false, {});
  };
  const respond = async (force: boolean) => {
    setAskingAboutCalls(false);
    if (decision.isBusy) return;
    if (forms.responseForm) {
      const jsonText = forms.readResponseForm();
      const sentResponse = { agentName, form: serializeDraft(forms.responseForm) };
      if (jsonText !== null) await decide({ calls: [], text: null, json_text: jsonText, force }, { sentResponse });
    } else if (drafts.answer.trim()) {
      await decide({ calls: [], text: drafts.answer, json_text: null, force });
    }
  };

  /** Checks the call in the form; returns whether it can be sent. Nothing is known of a tool that is not offered. */
  const checkOpenCall = async (): Promise<boolean> => {
    const text = tool ? forms.readCallForm() : null;
    if (!tool || text === null || !forms.isOffered(tool.name)) return true;
    let problems: FieldProblem[] = [];
    const wasChecked = await decision.run(async () => {
      problems = await api.checkValue(sessionId, turnId, { target: "call", tool_name: tool.name, value: text });
    });
    forms.showProblems(problems);
    return wasChecked && problems.length === 0;
  };
  const addCall = async () => {
    const call = collectCalls()?.at(-1);
    const viewCountBefore = viewCount.current;
    if (!tool || !call || !(await checkOpenCall())) return;
    const newCall = { tool: tool.name, arguments: call.arguments };
    if (viewCount.current !== viewCountBefore || !holdsCall(latestForms.current, newCall, tool.parameters)) {
      // The person has gone on while the call was checked: what is open now stays open, with what was typed since.
      setDrafts((before) => stackCallInBackground(before, newCall, tool.parameters));
      return;
    }
    setDrafts((before) => stackCall(before, newCall));
    forms.setWasRejected(false);
    requestFocus();
  };
  const editCall = (index: number) => {
    const call = drafts.stack[index];
    if (!call) return;
    const displaced: StackedCall[] = [];
    if (tool && callForm && callForm.value !== undefined) {
      const text = forms.readCallForm();
      if (text === null) return;
      displaced.push({ tool: tool.name, arguments: text });
    }
    const hiddenForm = tool?.name === call.tool ? undefined : filledForms.find((form) => form.tool === call.tool);
    if (hiddenForm && !hiddenForm.isReadable) {
      steps.goTo({ mode: "call", tool: hiddenForm.tool });
      return;
    }
    if (hiddenForm) displaced.push({ tool: hiddenForm.tool, arguments: hiddenForm.arguments });
    setDrafts(openStackedCall(drafts, index, displaced));
    forms.setWasRejected(false);
    requestFocus();
  };
  const repeatCall = (call: StackedCall) => {
    const isFormFree = filledForms.every((form) => form.tool !== call.tool);
    setDrafts((before) => (isFormFree ? fillForm(before, call) : { stack: [...before.stack, call] }));
    steps.goTo({ mode: "call", tool: isFormFree ? call.tool : drafts.tool });
  };

  return {
    pickTool: (name: string) => {
      setDrafts({ find: "" });
      steps.goTo({ mode: "call", tool: name });
    },
    /** Makes what was typed into the search the end of the response: it was typed before its field was there. */
    moveSearchToResponse: () => {
      setDrafts((before) => ({ find: "", answer: before.answer + before.find }));
      steps.goTo({ mode: "answer", tool: drafts.tool });
    },
    /** Opens the form of a tool that is not offered, with its arguments as JSON. */
    inventTool: (name: string) => {
      const form = serializeDraft({ ...createDraft(ANY_ARGUMENTS), raw: "{}" });
      setDrafts((before) => ({ find: "", forms: { [name]: form, ...before.forms } }));
      steps.goTo({ mode: "call", tool: name });
    },
    findTool,
    typeSlash,
    showMode: (mode: Drafts["mode"]) => steps.goTo({ mode, tool: drafts.tool }),
    /** Switches between calling and answering, where the agent has tools. */
    switchMode: () => {
      if (forms.tools.length > 0) steps.goTo({ mode: isAnswering ? "call" : "answer", tool: drafts.tool });
    },
    goBack: steps.goBack,
    addCall,
    /** Moves a collected call back into the form. */
    editCall,
    /** Puts a call of the timeline into its form; if that is in use, it is collected instead. */
    repeatCall,
    send,
    /** Whether the person must say what a response means for the collected calls. */
    isAskingAboutCalls,
    /** The calls whose forms are filled in, but which are not collected. */
    filledForms,
    /** Whether anything was entered for this turn. */
    hasInput: hasUnsentCalls || drafts.answer.trim() !== "" || drafts.answerForm !== null,
    closeQuestion: () => setAskingAboutCalls(false),
    executeStack,
    respondOnly: () => void respond(false),
  };
}

export type TurnActions = ReturnType<typeof useTurnActions>;

import { type KeyboardEvent, useRef } from "react";
import type { Briefing, PendingRequest, SessionRecord } from "../api/types";
import { labelAgent } from "../state/sessionStatus";
import { isTextField, watchTyping } from "../ui/focus";
import { formatCount } from "../ui/format";
import { COMMANDS, useCommand, useEscapeKey, useSendKey } from "../ui/keyboard";
import { ActionErrorAlert } from "./ActionErrorAlert";
import { ComposerHeader } from "./ComposerHeader";
import type { Drafts, SetDrafts } from "./drafts";
import { ModelMenu } from "./ModelMenu";
import { ModeSwitch } from "./ModeSwitch";
import { ResponseEditor } from "./ResponseEditor";
import { useRequestedCalls } from "./requestedCalls";
import { SuggestionNotice } from "./SuggestionNotice";
import { ToolCallEditor } from "./ToolCallEditor";
import { TurnFooter } from "./TurnFooter";
import { LoadingFields } from "./TypeAheadField";
import { useDecision } from "./useDecision";
import { useFirstFieldFocus } from "./useFirstFieldFocus";
import { useSuggestion } from "./useSuggestion";
import { useTurnActions } from "./useTurnActions";
import { useTurnForms } from "./useTurnForms";

/** A turn of the model, played by a person: calls, or the final response. */
export function TurnEditor({
  session,
  turn,
  briefing,
  drafts,
  setDrafts,
  onAnswering,
  onDecided,
  onTooLate,
}: {
  session: SessionRecord;
  turn: PendingRequest;
  briefing: Briefing | null;
  drafts: Drafts;
  setDrafts: SetDrafts;
  /** An answer to the turn is on its way from this tab, or from the agent's own model. */
  onAnswering: (turnId: string) => void;
  /** This tab has answered the turn. */
  onDecided: (turnId: string) => void;
  /** Somebody else was first; the turn disappears before the editor could show the message itself. */
  onTooLate: (message: string) => void;
}) {
  const { session_id: sessionId } = session;
  const { request_id: turnId } = turn;
  const frame = useRef<HTMLDivElement>(null);
  const decision = useDecision(sessionId, turnId, onTooLate);
  const { error, clearError } = decision;
  const forms = useTurnForms({ sessionId, turnId, briefing, drafts, setDrafts, error, clearError });
  const isLoading = briefing === null;
  const view = [turnId, isLoading, forms.isAnswering, forms.tool?.name ?? ""];
  const requestFocus = useFirstFieldFocus(frame, JSON.stringify(view), {
    text: isLoading ? "" : drafts.typedAhead,
    clear: () => setDrafts({ typedAhead: "" }),
  });
  const turnProps = { sessionId, turnId, agentName: turn.agent_name, requestFocus, drafts, setDrafts, forms };
  const actions = useTurnActions({
    ...turnProps,
    watchTyping: () => watchTyping(frame.current),
    decision,
    onAnswering,
    onDecided,
  });
  const { hasInput } = actions;
  const hasResponseForm = forms.responseSchema !== null;
  const suggestion = useSuggestion({ turnId, drafts, setDrafts, hasInput, hasResponseForm });
  useRequestedCalls(sessionId, actions.repeatCall);
  useSendKey(() => actions.send(false));
  useCommand(COMMANDS.switchMode, actions.switchMode);
  useEscapeKey((target) => {
    const isInside = target instanceof Node && frame.current?.contains(target) === true;
    const isSearching = isTextField(target) && target.type === "search" && target.value !== "";
    return isInside && !isSearching && actions.goBack();
  });
  const openFinder = (event: KeyboardEvent) => {
    const isPlain = !(event.ctrlKey || event.metaKey || event.altKey || event.nativeEvent.isComposing);
    const { target } = event;
    if (event.key !== "/" || !isPlain || event.defaultPrevented || forms.tools.length === 0) return;
    if (!isTextField(target) || target.value !== "") return;
    event.preventDefault();
    actions.findTool(target.id);
  };
  const others = session.pending.filter((request) => request.kind === "model").length - 1;
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the key works in every field of the editor
    <div className="composer-frame" ref={frame} tabIndex={-1} onKeyDown={openFinder}>
      <ComposerHeader title={<>Your turn as {labelAgent(session, turn)}</>}>
        {others > 0
          ? `${formatCount(others, "more turn")} ${others === 1 ? "waits" : "wait"} after this one.`
          : "You are the model: call tools, or answer the user."}
      </ComposerHeader>
      <div className="composer-modes">
        <ModeSwitch
          mode={forms.isAnswering ? "answer" : "call"}
          canCall={forms.tools.length > 0}
          onMode={actions.showMode}
        />
        {briefing?.model ? (
          <ModelMenu
            session={session}
            turnId={turnId}
            model={briefing.model}
            request={suggestion.request}
            onSuggestion={suggestion.expect}
            onAnswer={() => onAnswering(turnId)}
          />
        ) : null}
      </div>
      <div className="composer-body scroll">
        <ActionErrorAlert error={suggestion.request.error} />
        {suggestion.pending ? (
          <SuggestionNotice
            onApply={() => suggestion.pending && suggestion.apply(suggestion.pending)}
            onDismiss={suggestion.dismiss}
          />
        ) : null}
        {isLoading ? (
          <LoadingFields drafts={drafts} setDrafts={setDrafts} />
        ) : forms.isAnswering ? (
          <ResponseEditor
            forms={forms}
            text={drafts.answer}
            onText={(answer) => setDrafts({ answer })}
            hasNoTools={forms.tools.length === 0}
          />
        ) : (
          <ToolCallEditor forms={forms} actions={actions} find={drafts.find} onFind={(find) => setDrafts({ find })} />
        )}
      </div>
      <TurnFooter
        turnId={turnId}
        drafts={drafts}
        setDrafts={setDrafts}
        forms={forms}
        actions={actions}
        isBusy={decision.isBusy}
        error={error}
        frame={frame}
      />
    </div>
  );
}

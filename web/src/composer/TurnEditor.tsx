import { useEffect, useRef } from "react";
import type { Briefing, PendingInfo, SessionInfo } from "../api/types";
import { focusFirst, focusIfLost } from "../ui/focus";
import { formatCount } from "../ui/format";
import { useSendKey, useShortcuts } from "../ui/keyboard";
import { ActionErrorAlert } from "./ActionErrorAlert";
import { ComposerHeader } from "./ComposerHeader";
import type { Drafts, SetDrafts } from "./drafts";
import { ModelMenu } from "./ModelMenu";
import { ModeSwitch } from "./ModeSwitch";
import { ResponseEditor } from "./ResponseEditor";
import { SuggestionNotice } from "./SuggestionNotice";
import { ToolCallEditor } from "./ToolCallEditor";
import { TurnFooter } from "./TurnFooter";
import { useDecision } from "./useDecision";
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
  onDecided,
  onTooLate,
}: {
  session: SessionInfo;
  turn: PendingInfo;
  briefing: Briefing | null;
  drafts: Drafts;
  setDrafts: SetDrafts;
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
  const agent = session.agent_key || session.agent_name;
  const turnProps = { sessionId, turnId, agent, frame, drafts, setDrafts, forms };
  const actions = useTurnActions({ ...turnProps, decision, onDecided });
  const suggestion = useSuggestion(turnId, drafts, setDrafts, forms.responseSchema !== null);
  const isLoading = briefing === null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new turn is where the person continues
  useEffect(() => {
    if (!isLoading) focusIfLost(frame.current);
  }, [turnId, isLoading]);
  useSendKey(() => actions.send(false));
  useShortcuts({
    "/": actions.findTool,
    c: () => setDrafts({ mode: "call" }),
    r: () => {
      setDrafts({ mode: "answer" });
      focusFirst(frame, ".composer-body");
    },
  });
  const others = session.pending.filter((request) => request.kind === "model").length - 1;
  return (
    <div className="composer-frame" ref={frame}>
      <ComposerHeader title={<>Your turn as {turn.agent_name}</>}>
        {others > 0
          ? `${formatCount(others, "more turn")} ${others === 1 ? "waits" : "wait"} after this one.`
          : "You are the model: call tools, or answer the user."}
      </ComposerHeader>
      <div className="composer-modes">
        <ModeSwitch
          mode={forms.isAnswering ? "answer" : "call"}
          canCall={forms.tools.length > 0}
          onMode={(mode) => {
            setDrafts({ mode });
            forms.reset();
          }}
        />
        {briefing?.model ? (
          <ModelMenu
            session={session}
            turnId={turnId}
            model={briefing.model}
            request={suggestion.request}
            onSuggestion={suggestion.expect}
            onAnswer={() => onDecided(turnId)}
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
        {forms.isAnswering ? (
          <ResponseEditor
            forms={forms}
            text={drafts.answer}
            onText={(answer) => setDrafts({ answer })}
            hasNoTools={!isLoading && forms.tools.length === 0}
          />
        ) : (
          <ToolCallEditor forms={forms} actions={actions} />
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

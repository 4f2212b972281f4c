import { useEffect, useRef, useState } from "react";
import type { Briefing, SessionDetail } from "../api/types";
import { findNextPause, findNextRequest, isClosed } from "../state/sessionStatus";
import type { SessionStore } from "../state/sessionStore";
import { PrefillNotice } from "../timetravel/PrefillNotice";
import { prefills, usePrefill } from "../timetravel/prefill";
import { ErrorAlert } from "../ui/ErrorAlert";
import { ClosedPanel } from "./ClosedPanel";
import { ConsentEditor } from "./ConsentEditor";
import { CredentialEditor } from "./CredentialEditor";
import { hasTurnDraft, useDrafts } from "./drafts";
import { InputEditor } from "./InputEditor";
import { MessageEditor } from "./MessageEditor";
import { RunningPanel } from "./RunningPanel";
import { ToolResponseEditor } from "./ToolResponseEditor";
import { TurnEditor } from "./TurnEditor";
import { useRejectedResponse } from "./useRejectedResponse";
import "./composer.css";

/** The right pane: the editor or panel for the session's status. */
export function Composer({
  store,
  session,
  briefing,
  onExport,
  onNew,
}: {
  store: SessionStore;
  session: SessionDetail;
  briefing: Briefing | null;
  onExport: () => void;
  onNew: () => void;
}) {
  const [drafts, setDrafts] = useDrafts(session.session_id);
  const [notice, setNotice] = useState("");
  const isWaiting = session.status === "waiting";
  // A turn that was sent is over, even while the session's update is still on its way.
  const [sentTurns, setSentTurns] = useState<ReadonlySet<string>>(new Set());
  const next = isWaiting ? findNextRequest(session, sentTurns) : undefined;
  const turn = next?.kind === "model" ? next : undefined;
  const toolCall = next?.kind === "tool" ? next : undefined;
  const pause = findNextPause(session);
  const turnId = turn?.request_id;
  const decidedTurns = useRef(new Set<string>());
  const lastTurn = useRef<string | null>(null);
  const hasDraft = hasTurnDraft(drafts);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs only when the turn changes
  useEffect(() => {
    const last = lastTurn.current;
    lastTurn.current = turnId ?? last;
    const isAnswered = last !== null && (decidedTurns.current.has(last) || prefills.leftTurns.has(last));
    if (last && turnId && last !== turnId && !isAnswered && hasDraft) {
      setNotice("The previous turn was answered in another tab or program. Your input is kept for this turn.");
    }
  }, [turnId]);
  const prefill = usePrefill(session.session_id, drafts, setDrafts);
  useRejectedResponse({ store, session, turn, drafts, setDrafts, onRejected: setNotice });
  return (
    <section className="composer" aria-label="Composer" data-turn={turnId} data-tool-call={toolCall?.request_id}>
      {notice ? (
        <ErrorAlert title={notice}>
          <button type="button" className="button small" onClick={() => setNotice("")}>
            Dismiss
          </button>
        </ErrorAlert>
      ) : null}
      <PrefillNotice prefill={prefill} />
      {turn ? (
        <TurnEditor
          key={session.session_id}
          session={session}
          turn={turn}
          briefing={briefing?.agent_name === turn.agent_name ? briefing : null}
          drafts={drafts}
          setDrafts={setDrafts}
          onAnswering={(answered) => decidedTurns.current.add(answered)}
          onDecided={(decided) => {
            decidedTurns.current.add(decided);
            setNotice("");
            setSentTurns((before) => new Set(before).add(decided));
          }}
          onTooLate={(message) => {
            decidedTurns.current.add(turn.request_id);
            setNotice(message);
          }}
        />
      ) : toolCall ? (
        <ToolResponseEditor
          key={toolCall.request_id}
          session={session}
          request={toolCall}
          drafts={drafts}
          setDrafts={setDrafts}
          onResponded={(responded) => {
            setNotice("");
            setSentTurns((before) => new Set(before).add(responded));
          }}
          onTooLate={setNotice}
        />
      ) : isWaiting && pause?.kind === "input" ? (
        <InputEditor key={pause.request_id} session={session} pause={pause} drafts={drafts} setDrafts={setDrafts} />
      ) : isWaiting && pause ? (
        <CredentialEditor key={pause.request_id} session={session} pause={pause} />
      ) : isWaiting && session.confirmation ? (
        <ConsentEditor
          key={session.confirmation.question_id}
          session={session}
          question={session.confirmation}
          drafts={drafts}
          setDrafts={setDrafts}
        />
      ) : isWaiting || session.status === "running" ? (
        <RunningPanel store={store} session={session} drafts={drafts} setDrafts={setDrafts} />
      ) : isClosed(session.status) || !session.agent_key ? (
        <ClosedPanel session={session} onExport={onExport} onNew={onNew} />
      ) : (
        <MessageEditor
          key={`${session.session_id} ${prefill.generation}`}
          session={session}
          briefing={briefing}
          drafts={drafts}
          setDrafts={setDrafts}
          onExport={onExport}
          onNew={onNew}
        />
      )}
    </section>
  );
}

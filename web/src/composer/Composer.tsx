import { useEffect, useRef, useState } from "react";
import type { Briefing, SessionInfo } from "../api/types";
import type { SessionStore } from "../state/sessionStore";
import { ErrorAlert } from "../ui/ErrorAlert";
import { ClosedPanel } from "./ClosedPanel";
import { ConsentEditor } from "./ConsentEditor";
import { hasTurnDraft, useDrafts } from "./drafts";
import { MessageEditor } from "./MessageEditor";
import { RunningPanel } from "./RunningPanel";
import { TurnEditor } from "./TurnEditor";
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
  session: SessionInfo;
  briefing: Briefing | null;
  onExport: () => void;
  onNew: () => void;
}) {
  const [drafts, setDrafts] = useDrafts(session.session_id);
  const [notice, setNotice] = useState("");
  const head = session.pending_turns[0];
  const decidedTurns = useRef(new Set<string>());
  const lastTurn = useRef<string | null>(null);
  const hasDraft = hasTurnDraft(drafts);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs only when the turn changes
  useEffect(() => {
    const last = lastTurn.current;
    lastTurn.current = head?.turn_id ?? last;
    if (last && head && last !== head.turn_id && !decidedTurns.current.has(last) && hasDraft) {
      setNotice("The previous turn was answered elsewhere. Your input is kept for this turn.");
    }
  }, [head?.turn_id]);
  return (
    <section className="composer" aria-label="Composer" data-turn={head?.turn_id}>
      {notice ? (
        <ErrorAlert title={notice}>
          <button type="button" className="button small" onClick={() => setNotice("")}>
            Dismiss
          </button>
        </ErrorAlert>
      ) : null}
      {session.status === "your_turn" && head ? (
        <TurnEditor
          key={session.session_id}
          session={session}
          turn={head}
          briefing={briefing}
          drafts={drafts}
          setDrafts={setDrafts}
          onDecided={(turnId) => decidedTurns.current.add(turnId)}
          onTooLate={(message) => {
            decidedTurns.current.add(head.turn_id);
            setNotice(message);
          }}
        />
      ) : session.status === "confirm" && session.confirmation ? (
        <ConsentEditor session={session} question={session.confirmation} drafts={drafts} setDrafts={setDrafts} />
      ) : session.status === "running" || session.status === "your_turn" ? (
        <RunningPanel store={store} session={session} />
      ) : session.status === "closed" || !session.agent_key ? (
        <ClosedPanel session={session} onExport={onExport} onNew={onNew} />
      ) : (
        <MessageEditor
          key={session.session_id}
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

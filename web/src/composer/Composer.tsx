import { useEffect, useRef, useState } from "react";
import type { Briefing, SessionShape } from "../api/types";
import type { SessionStore } from "../state/session";
import { Failure } from "../ui/Failure";
import { ConsentEditor } from "./ConsentEditor";
import { hasTurn, useDrafts } from "./drafts";
import { MessageEditor } from "./MessageEditor";
import { ClosedPanel, RunningPanel } from "./Panels";
import { TurnEditor } from "./TurnEditor";
import "./composer.css";

/** Where a person acts: always says whose turn it is, and what is waited for. */
export function Composer({
  store,
  session,
  briefing,
  onExport,
  onNew,
}: {
  store: SessionStore;
  session: SessionShape;
  briefing: Briefing | null;
  onExport: () => void;
  onNew: () => void;
}) {
  const [drafts, setDrafts] = useDrafts(session.session_id);
  const [told, tell] = useState("");
  const head = session.waiting[0];
  const mine = useRef(new Set<string>());
  const before = useRef<string | null>(null);
  const typed = hasTurn(drafts);
  // biome-ignore lint/correctness/useExhaustiveDependencies: looked at when the turn changes
  useEffect(() => {
    const last = before.current;
    before.current = head?.turn_id ?? last;
    if (last && head && last !== head.turn_id && !mine.current.has(last) && typed) {
      tell("The turn before this one was answered elsewhere. What you typed is kept, for this turn.");
    }
  }, [head?.turn_id]);
  return (
    <section className="composer" aria-label="Composer" data-turn={head?.turn_id}>
      {told ? (
        <Failure title={told}>
          <button type="button" className="button small" onClick={() => tell("")}>
            Understood
          </button>
        </Failure>
      ) : null}
      {session.status === "your_turn" && head ? (
        <TurnEditor
          key={session.session_id}
          session={session}
          turn={head}
          briefing={briefing}
          drafts={drafts}
          setDrafts={setDrafts}
          onDecided={(turnId) => mine.current.add(turnId)}
          onTooLate={(message) => {
            mine.current.add(head.turn_id);
            tell(message);
          }}
        />
      ) : session.status === "confirm" && session.confirmation ? (
        <ConsentEditor session={session} question={session.confirmation} drafts={drafts} setDrafts={setDrafts} />
      ) : session.status === "running" || session.status === "your_turn" ? (
        <RunningPanel store={store} session={session} />
      ) : session.status === "closed" || !session.agent ? (
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

import { useState } from "react";
import type { Briefing, SessionShape } from "../api/types";
import type { SessionStore } from "../state/session";
import { Failure } from "../ui/Failure";
import { ConsentEditor } from "./ConsentEditor";
import { useDrafts } from "./drafts";
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
  return (
    <section className="composer" aria-label="Composer">
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
          onTooLate={tell}
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

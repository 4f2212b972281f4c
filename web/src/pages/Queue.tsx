import { useEffect } from "react";
import type { SessionShape } from "../api/types";
import { route, sessionPath } from "../state/route";
import { useSessions } from "../state/sessions";
import { Failure } from "../ui/Failure";
import { ago, full } from "../ui/format";
import { useNow } from "../ui/Time";
import { Link } from "./Link";
import { PageFrame } from "./PageFrame";

type Turn = SessionShape["waiting"][number];

/** Every turn that waits for a person, in all sessions, the one that waits longest first. Enter opens it. */
export function Queue() {
  const { sessions, trouble } = useSessions();
  const now = useNow(1000);
  const turns = (sessions ?? [])
    .flatMap((session) => session.waiting.map((turn) => ({ session, turn })))
    .toSorted((one, other) => one.turn.asked_at - other.turn.asked_at);
  const first = turns[0]?.session.session_id;
  useEffect(() => {
    const open = (event: KeyboardEvent) => {
      const onBody = event.target === document.body;
      if (event.key === "Enter" && onBody && first) route.go(sessionPath(first));
    };
    document.addEventListener("keydown", open);
    return () => document.removeEventListener("keydown", open);
  }, [first]);
  return (
    <PageFrame title="Queue">
      {trouble ? <Failure title={trouble} /> : null}
      {sessions && turns.length === 0 ? (
        <div className="empty">
          <p>No turn waits for you. A turn appears here as soon as an agent asks its model.</p>
          <button type="button" className="button" onClick={() => route.go("/sessions")}>
            All sessions
          </button>
        </div>
      ) : sessions ? (
        <table className="table">
          <thead>
            <tr>
              <th>Waits for</th>
              <th>Agent</th>
              <th>Session</th>
            </tr>
          </thead>
          <tbody>
            {turns.map(({ session, turn }) => (
              <Waiting key={turn.turn_id} session={session} turn={turn} now={now} />
            ))}
          </tbody>
        </table>
      ) : (
        <p className="quiet">Loading…</p>
      )}
    </PageFrame>
  );
}

function Waiting({ session, turn, now }: { session: SessionShape; turn: Turn; now: number }) {
  const head = session.waiting[0]?.turn_id === turn.turn_id;
  return (
    <tr>
      <td title={full(turn.asked_at)}>{ago(turn.asked_at, now).replace(" ago", "")}</td>
      <td>{turn.agent_name}</td>
      <td>
        <Link to={sessionPath(session.session_id)}>{session.name}</Link>
        {head ? null : <span className="quiet"> after another turn of this session</span>}
      </td>
    </tr>
  );
}

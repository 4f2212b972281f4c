import { useEffect } from "react";
import type { PendingTurn, SessionInfo } from "../api/types";
import { formatSessionPath, route } from "../state/route";
import { useSessions } from "../state/useSessions";
import { useNow } from "../ui/ClockTime";
import { ErrorAlert } from "../ui/ErrorAlert";
import { formatAgo, formatDateTime } from "../ui/format";
import { Link } from "./Link";
import { PageFrame } from "./PageFrame";

/** All waiting turns of all sessions, oldest first. Enter opens the first. */
export function QueuePage() {
  const { sessions, error } = useSessions();
  const now = useNow(1000);
  const turns = (sessions ?? [])
    .flatMap((session) => session.pending_turns.map((turn) => ({ session, turn })))
    .toSorted((one, other) => one.turn.asked_at - other.turn.asked_at);
  const first = turns[0]?.session.session_id;
  useEffect(() => {
    const openOnEnter = (event: KeyboardEvent) => {
      const onBody = event.target === document.body;
      if (event.key === "Enter" && onBody && first) route.navigate(formatSessionPath(first));
    };
    document.addEventListener("keydown", openOnEnter);
    return () => document.removeEventListener("keydown", openOnEnter);
  }, [first]);
  return (
    <PageFrame title="Queue">
      {error ? <ErrorAlert title={error} /> : null}
      {sessions && turns.length === 0 ? (
        <div className="empty">
          <p>No turns are waiting. A turn appears here as soon as an agent calls its model.</p>
          <button type="button" className="button" onClick={() => route.navigate("/sessions")}>
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
              <PendingTurnRow key={turn.turn_id} session={session} turn={turn} now={now} />
            ))}
          </tbody>
        </table>
      ) : (
        <p className="quiet">Loading…</p>
      )}
    </PageFrame>
  );
}

function PendingTurnRow({ session, turn, now }: { session: SessionInfo; turn: PendingTurn; now: number }) {
  const isNext = session.pending_turns[0]?.turn_id === turn.turn_id;
  return (
    <tr>
      <td title={formatDateTime(turn.asked_at)}>{formatAgo(turn.asked_at, now).replace(" ago", "")}</td>
      <td>{turn.agent_name}</td>
      <td>
        <Link to={formatSessionPath(session.session_id)}>{session.name}</Link>
        {isNext ? null : <span className="quiet"> after another turn of this session</span>}
      </td>
    </tr>
  );
}

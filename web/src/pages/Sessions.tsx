import { useEffect, useState } from "react";
import { api, words } from "../api/client";
import type { SessionShape } from "../api/types";
import { app } from "../state/app";
import { route, sessionPath } from "../state/route";
import { useWatched } from "../state/store";
import { Failure } from "../ui/Failure";
import { ago, full } from "../ui/format";
import { useNow } from "../ui/Time";
import { StatusPill } from "../workbench/Header";
import { PageFrame } from "./PageFrame";

/** All sessions, the newest first. */
export function Sessions() {
  const { listVersion } = useWatched(app);
  const [sessions, setSessions] = useState<SessionShape[] | null>(null);
  const [trouble, setTrouble] = useState("");
  const [find, setFind] = useState("");
  // biome-ignore lint/correctness/useExhaustiveDependencies: read again when the server says that it changed
  useEffect(() => {
    let gone = false;
    api.sessions().then(
      (found) => {
        if (!gone) setSessions(found);
      },
      (error: unknown) => {
        if (!gone) setTrouble(words(error));
      },
    );
    return () => {
      gone = true;
    };
  }, [listVersion]);
  const shown = (sessions ?? []).filter((one) =>
    `${one.name} ${one.agent_name}`.toLowerCase().includes(find.trim().toLowerCase()),
  );
  return (
    <PageFrame title="Sessions">
      {trouble ? <Failure title={trouble} /> : null}
      {sessions?.length === 0 ? (
        <div className="empty">
          <p>There are no sessions yet.</p>
          <button type="button" className="button primary" onClick={() => route.go("/agents")}>
            Choose an agent
          </button>
        </div>
      ) : sessions ? (
        <>
          <input
            type="search"
            className="input page-find"
            placeholder="find a session"
            aria-label="Find a session"
            value={find}
            onChange={(event) => setFind(event.target.value)}
          />
          <SessionTable sessions={shown} />
        </>
      ) : (
        <p className="quiet">Loading…</p>
      )}
    </PageFrame>
  );
}

function SessionTable({ sessions }: { sessions: SessionShape[] }) {
  const now = useNow(5000);
  return (
    <table className="table">
      <thead>
        <tr>
          <th>Session</th>
          <th>Agent</th>
          <th>Status</th>
          <th>Last event</th>
          <th>Started</th>
        </tr>
      </thead>
      <tbody>
        {sessions.map((session) => (
          <tr key={session.session_id}>
            <td>
              <a
                href={sessionPath(session.session_id)}
                onClick={(event) => {
                  if (event.ctrlKey || event.metaKey || event.shiftKey) return;
                  event.preventDefault();
                  route.go(sessionPath(session.session_id));
                }}
              >
                {session.name}
              </a>
            </td>
            <td>{session.agent_name}</td>
            <td>
              <StatusPill session={session} />
            </td>
            <td title={full(session.last_event_at)}>{ago(session.last_event_at, now)}</td>
            <td title={full(session.created_at)}>{ago(session.created_at, now)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

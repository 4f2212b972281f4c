import { useState } from "react";
import { api } from "../api/client";
import type { SessionInfo } from "../api/types";
import { useFetch } from "../api/useFetch";
import { JsonTree } from "../json/JsonTree";
import { parseInSlices } from "../json/parseInSlices";
import { StateEditor } from "../sessionstart/StateEditor";
import { isClosed } from "../state/sessionStatus";
import { ErrorAlert } from "../ui/ErrorAlert";

/** The session's state, and an editor for it. Each event may have changed it, so it is loaded again for each. */
export function StateTab({ session }: { session: SessionInfo }) {
  const { session_id: sessionId, last_seq: seq } = session;
  const [isEditing, setEditing] = useState(false);
  const { data, error } = useFetch(
    async (signal) => ({ state: await parseInSlices(await api.getState(sessionId), signal) }),
    `${sessionId}/${seq}`,
  );
  if (!data) return error ? <ErrorAlert title={error} /> : <p className="quiet">Loading…</p>;
  const { state } = data;
  return (
    <>
      {error ? <ErrorAlert title={error} /> : null}
      {state instanceof Map && state.size === 0 ? (
        <p className="quiet">The session state is empty.</p>
      ) : (
        <JsonTree value={state} />
      )}
      {session.status === "waiting" && canEdit(session) ? (
        <p className="quiet">
          The turn that waits has its request already: the tools it calls and later turns see an edit.
        </p>
      ) : null}
      {!canEdit(session) ? (
        <p className="quiet">{explainReadOnly(session)}</p>
      ) : isEditing ? (
        <StateEditor sessionId={sessionId} neededKeys={[]} onDone={() => setEditing(false)} />
      ) : (
        <button type="button" className="button small" onClick={() => setEditing(true)}>
          Edit state
        </button>
      )}
    </>
  );
}

/** Whether the agent runs on this server, and no run of it is going on, or the run waits for a turn of the model. */
function canEdit(session: SessionInfo): boolean {
  const isPaused = session.status === "waiting" && session.pending.every(({ kind }) => kind !== "tool");
  return session.agent_key !== "" && (isPaused || EDITABLE.has(session.status));
}

/** Why the state cannot be edited now, and when it can. */
function explainReadOnly(session: SessionInfo): string {
  if (isClosed(session.status)) return "The session is over: its state cannot be edited. Fork it to go on.";
  if (session.agent_key === "") return "The agent runs in another process: its state can be edited only there.";
  return "The state can be edited when a turn waits for you and no tool is running, and between two runs.";
}

const EDITABLE: ReadonlySet<SessionInfo["status"]> = new Set(["new", "done", "failed", "stopped"]);

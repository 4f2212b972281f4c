import { useState } from "react";
import { api } from "../api/client";
import type { SessionInfo } from "../api/types";
import { useFetch } from "../api/useFetch";
import { JsonTree } from "../json/JsonTree";
import { parseInSlices } from "../json/parseInSlices";
import { StateEditor } from "../sessionstart/StateEditor";
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
      {!canEdit(session) ? null : isEditing ? (
        <StateEditor sessionId={sessionId} neededKeys={[]} onDone={() => setEditing(false)} />
      ) : (
        <button type="button" className="button small" onClick={() => setEditing(true)}>
          Edit state
        </button>
      )}
    </>
  );
}

/** Whether the agent runs on this server, and no run of it is going on. */
function canEdit(session: SessionInfo): boolean {
  return session.agent_key !== "" && EDITABLE.has(session.status);
}

const EDITABLE: ReadonlySet<SessionInfo["status"]> = new Set(["new", "done", "failed", "stopped"]);

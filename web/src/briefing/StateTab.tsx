import { useState } from "react";
import { api } from "../api/client";
import type { SessionDetail } from "../api/types";
import { useFetch } from "../api/useFetch";
import { JsonTree } from "../json/JsonTree";
import { parseInSlices } from "../json/parseInSlices";
import { StateEditor } from "../sessionstart/StateEditor";
import { ErrorAlert } from "../ui/ErrorAlert";
import { canEditState, explainReadOnlyState } from "./stateEditing";

/** The session's state, and an editor for it. Each event may have changed it, so it is loaded again for each. */
export function StateTab({ session }: { session: SessionDetail }) {
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
      {session.status === "waiting" && canEditState(session) ? (
        <p className="quiet">
          The turn that waits has its request already: the tools it calls and later turns see an edit.
        </p>
      ) : null}
      {!canEditState(session) ? (
        <p className="quiet">{explainReadOnlyState(session)}</p>
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

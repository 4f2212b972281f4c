import { api } from "../api/client";
import type { Row, SessionInfo } from "../api/types";
import { useObservable } from "../state/observable";
import type { SessionStore } from "../state/sessionStore";
import { Stopwatch } from "../ui/ClockTime";
import { Icon } from "../ui/Icon";
import { useAction } from "../ui/useAction";
import { ActionErrorAlert } from "./ActionErrorAlert";
import { ComposerHeader } from "./ComposerHeader";

/** Shown while the agent runs: the running calls, their duration, and Stop. */
export function RunningPanel({ store, session }: { store: SessionStore; session: SessionInfo }) {
  useObservable(store);
  const { isBusy, error, run } = useAction();
  const running = store.listLoadedRows().filter((row) => row.status === "running" && row.kind === "call");
  return (
    <div className="composer-frame">
      <ComposerHeader title={running.length ? "Running" : `${session.agent_name} is working`}>
        {running.length
          ? "Your next turn starts when these calls are done."
          : "Your turn starts when the agent calls its model."}
      </ComposerHeader>
      <div className="composer-body scroll">
        <ul className="running">
          {running.map((row) => (
            <RunningCall key={row.index} session={session} row={row} />
          ))}
        </ul>
        <ActionErrorAlert error={error} />
      </div>
      <footer className="composer-foot">
        <div className="composer-buttons">
          <span className="grow" />
          <button
            type="button"
            className="button"
            title="End the agent's run; the session stays"
            disabled={isBusy || !session.agent_key}
            onClick={() => void run(() => api.stopRun(session.session_id))}
          >
            <Icon name="stop" />
            Stop the run
          </button>
        </div>
      </footer>
    </div>
  );
}

function RunningCall({ session, row }: { session: SessionInfo; row: Row }) {
  const { isBusy, error, run } = useAction();
  return (
    <li>
      <div className="running-call">
        <span className="spinner" />
        <b className="mono">{row.subject}</b>
        <span className="mono quiet running-arguments">{row.summary}</span>
        <Stopwatch since={row.timestamp} />
        <button
          type="button"
          className="button small danger"
          disabled={isBusy}
          aria-label={`Cancel ${row.subject}`}
          onClick={() => void run(() => api.cancelCall(session.session_id, row.call_id))}
        >
          Cancel
        </button>
      </div>
      <ActionErrorAlert error={error} />
    </li>
  );
}

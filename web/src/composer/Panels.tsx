import { api } from "../api/client";
import type { Row, SessionShape } from "../api/types";
import type { SessionStore } from "../state/session";
import { useWatched } from "../state/store";
import { useAction } from "../ui/action";
import { Icon } from "../ui/Icon";
import { Stopwatch } from "../ui/Time";
import { ComposerHead } from "./ComposerHead";
import { TroubleNotice } from "./TroubleNotice";

/** While the agent works: what runs, for how long, and the way to stop it. */
export function RunningPanel({ store, session }: { store: SessionStore; session: SessionShape }) {
  useWatched(store);
  const { busy, trouble, run } = useAction();
  const running = store.known().filter((row) => row.status === "running" && row.kind === "call");
  return (
    <div className="composer-frame">
      <ComposerHead title={running.length ? "Running" : `${session.agent_name} works`}>
        {running.length
          ? "Your next turn comes when these calls are done."
          : "Your turn comes when the model is asked."}
      </ComposerHead>
      <div className="composer-body scroll">
        <ul className="running">
          {running.map((row) => (
            <RunningCall key={row.index} session={session} row={row} />
          ))}
        </ul>
        <TroubleNotice trouble={trouble} />
      </div>
      <footer className="composer-foot">
        <div className="composer-buttons">
          <span className="grow" />
          <button
            type="button"
            className="button"
            title="End the agent's run; the session stays"
            disabled={busy || !session.agent}
            onClick={() => void run(() => api.stop(session.session_id))}
          >
            <Icon name="stop" />
            Stop the run
          </button>
        </div>
      </footer>
    </div>
  );
}

function RunningCall({ session, row }: { session: SessionShape; row: Row }) {
  const { busy, trouble, run } = useAction();
  return (
    <li>
      <div className="running-call">
        <span className="spinner" />
        <b className="mono">{row.subject}</b>
        <span className="mono quiet running-arguments">{row.summary}</span>
        <Stopwatch since={row.at} />
        <button
          type="button"
          className="button small danger"
          disabled={busy}
          aria-label={`Cancel ${row.subject}`}
          onClick={() => void run(() => api.cancel(session.session_id, row.call_id))}
        >
          Cancel
        </button>
      </div>
      <TroubleNotice trouble={trouble} />
    </li>
  );
}

const TITLES: Partial<Record<SessionShape["status"], string>> = {
  closed: "This session is finished",
  abandoned: "The agent has gone",
};

/** A session that takes no more from here. */
export function ClosedPanel({
  session,
  onExport,
  onNew,
}: {
  session: SessionShape;
  onExport: () => void;
  onNew: () => void;
}) {
  return (
    <div className="composer-frame">
      <ComposerHead title={TITLES[session.status] ?? "This session runs elsewhere"}>
        {session.status === "closed"
          ? "It can be read and exported; nothing can be added."
          : session.status === "abandoned"
            ? "Its process has gone while a turn waited. If it comes back, the turn waits again."
            : "Its user speaks where the agent runs. Its turns come here."}
      </ComposerHead>
      <div className="composer-body">
        <div className="done-actions">
          <button type="button" className="button primary" onClick={onExport}>
            <Icon name="export" />
            Export
          </button>
          <button type="button" className="button" onClick={onNew}>
            New session
          </button>
        </div>
      </div>
    </div>
  );
}

import type { SessionDetail, SessionStatus } from "../api/types";
import { isClosed } from "../state/sessionStatus";
import { useTimeTravel } from "../timetravel/timeTravelContext";
import { ErrorAlert } from "../ui/ErrorAlert";
import { Icon } from "../ui/Icon";
import { ComposerHeader } from "./ComposerHeader";

const READ_ONLY = "It can be read and exported; nothing can be added.";
const EXPLANATIONS: Partial<Record<SessionStatus, [title: string, text: string]>> = {
  interrupted: ["This session was interrupted", READ_ONLY],
  closed: ["This session is closed", READ_ONLY],
  cancelled: ["This session was cancelled", READ_ONLY],
  broken: ["This session cannot be read", "Its stored data is damaged. Other sessions are not affected."],
  abandoned: [
    "The agent has disconnected",
    "Its process ended while a turn was waiting. If it reconnects, the turn waits again.",
  ],
};

const CONTINUATION = "To continue, fork it.";

/** A session that accepts no messages here: closed, broken, abandoned, or of an agent in another process. */
export function ClosedPanel({
  session,
  onExport,
  onNew,
}: {
  session: SessionDetail;
  onExport: () => void;
  onNew: () => void;
}) {
  const [title, text] = EXPLANATIONS[session.status] ?? [
    "This session runs in another process",
    "User messages are sent where the agent runs. Its turns appear here.",
  ];
  const timeTravel = useTimeTravel();
  const canFork =
    timeTravel !== null &&
    isClosed(session.status) &&
    session.status !== "broken" &&
    session.time_travel.fork_problem === "";
  return (
    <div className="composer-frame">
      <ComposerHeader title={title}>
        {formatReason(session.closing_reason)}
        {canFork
          ? `It can be read and exported. ${CONTINUATION}`
          : `${text} ${session.closing_reason ? session.time_travel.fork_problem : ""}`}
      </ComposerHeader>
      <div className="composer-body">
        {session.status === "broken" || session.status === "failed" ? <ErrorAlert title={session.failure} /> : null}
        <div className="done-actions">
          <button type="button" className="button primary" disabled={session.status === "broken"} onClick={onExport}>
            <Icon name="export" />
            Export session
          </button>
          {canFork ? (
            <button
              type="button"
              className="button"
              title="A new session that begins with all that happened here; the agent's code is loaded as it is now"
              disabled={timeTravel.isBusy}
              onClick={() => timeTravel.start({ action: "fork" })}
            >
              Continue in a fork
            </button>
          ) : null}
          <button type="button" className="button" onClick={onNew}>
            New session
          </button>
        </div>
      </div>
    </div>
  );
}

/** Why the session is over, as a sentence. */
function formatReason(reason: string): string {
  return reason ? `${reason.charAt(0).toUpperCase()}${reason.slice(1)}. ` : "";
}

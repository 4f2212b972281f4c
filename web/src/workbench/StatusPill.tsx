import type { SessionRecord } from "../api/types";
import { describeStatus } from "../state/sessionStatus";
import { Stopwatch } from "../ui/ClockTime";

/** A session's status; the reason of a failure on hover. */
export function StatusPill({
  session,
  isLive = false,
}: {
  session: SessionRecord;
  /** Changes are announced to screen readers; in a list, that would be too much. */
  isLive?: boolean;
}) {
  const { status } = session;
  const tone = status === "waiting" ? "active" : status === "failed" || status === "broken" ? "failed" : "";
  return (
    <span
      className={`pill ${tone}`}
      data-status={status}
      role={isLive ? "status" : undefined}
      title={session.failure || undefined}
    >
      {status === "running" ? <span className="spinner" /> : null}
      {describeStatus(session)}
      {status === "running" && session.running_since != null ? <Stopwatch since={session.running_since} /> : null}
    </span>
  );
}

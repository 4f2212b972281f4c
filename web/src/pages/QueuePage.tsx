import { memo, useEffect } from "react";
import type { QueueItem } from "../api/types";
import { app } from "../state/app";
import { getQueueKey } from "../state/queueList";
import { formatSessionPath, route } from "../state/route";
import { describeRequest } from "../state/sessionStatus";
import { AgoText, useNow } from "../ui/ClockTime";
import { ErrorAlert } from "../ui/ErrorAlert";
import { Link } from "./Link";
import { PagedTable, useOpenList } from "./PagedTable";
import { PageFrame } from "./PageFrame";

const COLUMNS = [
  ["column-wait", "Waiting"],
  ["column-agent", "Agent"],
  ["column-request", "Needs"],
  ["column-name", "Session"],
  ["column-person", "Claimed by"],
] as const;

/** Everything that waits for a person, in all sessions, oldest first. Enter opens the first. */
export default function QueuePage() {
  const queue = useOpenList<QueueItem, typeof app.queue>(app.queue);
  const first = queue.items[0]?.session_id;
  useEffect(() => {
    const openOnEnter = (event: KeyboardEvent) => {
      const onBody = event.target === document.body;
      if (event.key === "Enter" && onBody && first) route.navigate(formatSessionPath(first));
    };
    document.addEventListener("keydown", openOnEnter);
    return () => document.removeEventListener("keydown", openOnEnter);
  }, [first]);
  return (
    <PageFrame title="Queue" fillsWindow>
      {queue.items.length ? (
        <PagedTable list={queue} name="Queue" unit="request" columns={COLUMNS}>
          {queue.items.map((item) => (
            <QueueRow key={getQueueKey(item)} item={item} />
          ))}
        </PagedTable>
      ) : queue.error ? (
        <div className="page">
          <ErrorAlert title={queue.error}>
            <button type="button" className="button small" onClick={() => queue.open()}>
              Try again
            </button>
          </ErrorAlert>
        </div>
      ) : queue.isComplete ? (
        <div className="empty">
          <p>No turns are waiting. A turn appears here as soon as an agent calls its model.</p>
          <button type="button" className="button" onClick={() => route.navigate("/sessions")}>
            All sessions
          </button>
        </div>
      ) : (
        <p className="page quiet">Loading…</p>
      )}
    </PageFrame>
  );
}

/** Rendered again only if the request has changed; the times update themselves. */
const QueueRow = memo(function QueueRow({ item }: { item: QueueItem }) {
  const { request } = item;
  return (
    <tr>
      <td className="column-wait">
        <AgoText time={request.requested_at} suffix="" everyMs={1000} />
      </td>
      <td className="column-agent" title={item.agent_label}>
        {item.agent_label}
      </td>
      <td className="column-request" title={describeRequest(request)}>
        {describeRequest(request)}
      </td>
      <td className="column-name" title={item.session_name}>
        <Link to={formatSessionPath(item.session_id)} opensRow>
          {item.session_name}
        </Link>
      </td>
      <td className="column-person" title={request.claimed_by}>
        {request.claimed_by ? <ClaimName name={request.claimed_by} until={request.claimed_until} /> : null}
      </td>
    </tr>
  );
});

/** Who works on a request, until the claim expires. */
function ClaimName({ name, until }: { name: string; until: number }) {
  const now = useNow(1000);
  return until && until < now ? null : name;
}

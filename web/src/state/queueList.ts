import { api } from "../api/client";
import type { QueueItem, SessionRecord } from "../api/types";
import { type ListChange, type LoadedPage, PagedList } from "./pagedList";
import { labelAgent } from "./sessionStatus";

/** All requests that wait for a person, the oldest first. */
export class QueueList extends PagedList<QueueItem> {
  protected async fetchPage(cursor: string, limit: number): Promise<LoadedPage<QueueItem>> {
    const page = await api.listQueue({ cursor, limit });
    return { items: page.items, nextCursor: page.next_cursor };
  }

  protected getKey(item: QueueItem): string {
    return getQueueKey(item);
  }

  protected compare(left: QueueItem, right: QueueItem): number {
    const [leftKey, rightKey] = [getQueueKey(left), getQueueKey(right)];
    if (leftKey === rightKey) return 0;
    return left.request.requested_at - right.request.requested_at || (leftKey < rightKey ? -1 : 1);
  }

  protected mergeChange(items: QueueItem[], change: ListChange): QueueItem[] {
    const changed = new Set([...change.deleted, ...change.sessions.map((session) => session.session_id)]);
    const others = items.filter((item) => !changed.has(item.session_id));
    return change.sessions
      .flatMap(listRequests)
      .reduce<QueueItem[]>((merged, item) => this.insert(merged, item), others);
  }
}

/** Identifies a request among those of all sessions. */
export function getQueueKey({ session_id: sessionId, request }: QueueItem): string {
  return `${sessionId} ${request.request_id}`;
}

function listRequests(session: SessionRecord): QueueItem[] {
  return session.pending.map((request) => ({
    session_id: session.session_id,
    session_name: session.name,
    agent_label: labelAgent(session, request),
    request,
  }));
}

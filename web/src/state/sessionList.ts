import { api } from "../api/client";
import type { SessionRecord, SessionStatus } from "../api/types";
import { type ListChange, type LoadedPage, PagedList } from "./pagedList";
import { STATUSES } from "./sessionStatus";

/** Which sessions are listed; empty texts exclude nothing. */
export interface SessionFilter {
  text: string;
  status: SessionStatus | "";
  agent: string;
}

export const NO_FILTER: SessionFilter = { text: "", status: "", agent: "" };

/** The filter in the query string of an address. */
export function parseFilter(search: string): SessionFilter {
  const query = new URLSearchParams(search);
  const status = query.get("status") ?? "";
  return {
    text: query.get("q") ?? "",
    status: STATUSES.find((known) => known === status) ?? "",
    agent: query.get("agent") ?? "",
  };
}

/** The query string of a filter; empty without one. */
export function formatFilter({ text, status, agent }: SessionFilter): string {
  const query = new URLSearchParams();
  if (text) query.set("q", text);
  if (status) query.set("status", status);
  if (agent) query.set("agent", agent);
  return query.size ? `?${query}` : "";
}

/** The sessions that pass a filter, the newest first. */
export class SessionList extends PagedList<SessionRecord> {
  constructor(readonly filter: SessionFilter) {
    super();
  }

  get isFiltered(): boolean {
    return formatFilter(this.filter) !== "";
  }

  protected async fetchPage(cursor: string, limit: number): Promise<LoadedPage<SessionRecord>> {
    const { text, status, agent } = this.filter;
    const page = await api.listSessions({ cursor, limit, q: text, status: status ? [status] : [], agent });
    return { items: page.sessions, nextCursor: page.next_cursor };
  }

  protected getKey(session: SessionRecord): string {
    return session.session_id;
  }

  protected compare(left: SessionRecord, right: SessionRecord): number {
    if (left.session_id === right.session_id) return 0;
    return right.created_at - left.created_at || (left.session_id < right.session_id ? 1 : -1);
  }

  protected mergeChange(items: SessionRecord[], change: ListChange): SessionRecord[] {
    const deleted = new Set(change.deleted);
    let merged = items.filter((session) => !deleted.has(session.session_id));
    for (const session of change.sessions) merged = this.mergeSession(merged, session);
    return merged;
  }

  /** Only the server knows what a text or an agent's name matches: if that may have changed, it is asked again. */
  private mergeSession(items: SessionRecord[], session: SessionRecord): SessionRecord[] {
    const place = items.findIndex((listed) => listed.session_id === session.session_id);
    const before = items[place];
    // A response to an action of this tab can be older than the live update that arrived before it.
    if (before && session.last_seq < before.last_seq) return items;
    if (this.filter.status && session.status !== this.filter.status) return before ? items.toSpliced(place, 1) : items;
    if (before) {
      if (this.filter.text && before.name !== session.name) this.markStale();
      return items.with(place, session);
    }
    if (!this.isFiltered) return this.insert(items, session);
    this.markStale();
    return items;
  }
}

import { memo, useRef } from "react";
import type { SessionRecord } from "../api/types";
import { app } from "../state/app";
import { useObservable } from "../state/observable";
import { formatSessionPath, route } from "../state/route";
import { formatFilter, NO_FILTER, parseFilter, type SessionFilter, type SessionList } from "../state/sessionList";
import { STATUS_LABELS } from "../state/sessionStatus";
import { AgoText } from "../ui/ClockTime";
import { ErrorAlert } from "../ui/ErrorAlert";
import { StatusPill } from "../workbench/StatusPill";
import { Link } from "./Link";
import { PagedTable, useOpenList } from "./PagedTable";
import { PageFrame } from "./PageFrame";
import { SessionFilterBar } from "./SessionFilterBar";
import { SessionMenu } from "./SessionMenu";

const COLUMNS = [
  ["column-name", "Session"],
  ["column-agent", "Agent"],
  ["column-status", "Status"],
  ["column-time", "Last event"],
  ["column-time column-start", "Started"],
  ["column-menu", "Actions"],
] as const;

/** All sessions, the newest first. The filter is in the address, so that a reload keeps it. */
export default function SessionsPage() {
  const { search } = useObservable(route);
  const filter = parseFilter(search);
  const list = useOpenList<SessionRecord, SessionList>(app.openSessionList(filter));
  const setFilter = (next: SessionFilter) => route.navigate(`/sessions${formatFilter(next)}`, true);
  const agents = useAgentNames(list.items, filter.agent);
  return (
    <PageFrame title="Sessions" fillsWindow>
      {list.isFiltered || list.items.length || !list.isComplete ? (
        <SessionFilterBar filter={filter} agents={agents} onFilter={setFilter} />
      ) : null}
      <Sessions list={useLastLoaded(list)} onClear={() => setFilter(NO_FILTER)} />
    </PageFrame>
  );
}

function Sessions({ list, onClear }: { list: SessionList; onClear: () => void }) {
  if (list.items.length) {
    return (
      <PagedTable list={list} name="Sessions" unit="session" columns={COLUMNS}>
        {list.items.map((session) => (
          <SessionRow key={session.session_id} session={session} list={list} />
        ))}
      </PagedTable>
    );
  }
  if (list.error) {
    return (
      <div className="page">
        <ErrorAlert title={list.error}>
          <button type="button" className="button small" onClick={() => list.open()}>
            Try again
          </button>
        </ErrorAlert>
      </div>
    );
  }
  if (!list.isComplete) return <p className="page quiet">Loading…</p>;
  if (list.isFiltered) {
    return (
      <div className="empty">
        <p>{describeNoMatch(list.filter)}</p>
        <button type="button" className="button" onClick={onClear}>
          Show all sessions
        </button>
      </div>
    );
  }
  return (
    <div className="empty">
      <p>There are no sessions yet.</p>
      <button type="button" className="button primary" onClick={() => route.navigate("/agents")}>
        Choose an agent
      </button>
    </div>
  );
}

/** The list, or while it is loaded for the first time, the one before it: a search must not blank the page. */
function useLastLoaded(list: SessionList): SessionList {
  const last = useRef(list);
  if (list.isLoaded || list.error) last.current = list;
  return last.current;
}

/** What was searched for without a result. */
function describeNoMatch({ text, status, agent }: SessionFilter): string {
  const conditions = [
    text ? `“${text}” in its name or an agent's name` : "",
    status ? `the status “${STATUS_LABELS[status]}”` : "",
    agent ? `the agent ${agent}` : "",
  ].filter(Boolean);
  return `No session has ${conditions.join(", and ")}.`;
}

/** The agents to choose from, as the list calls them: those of the server, and all that were seen in the list. */
function useAgentNames(sessions: SessionRecord[], chosen: string): string[] {
  const { server } = useObservable(app);
  const knownNames = useRef(new Set<string>());
  for (const agent of server?.agents ?? []) knownNames.current.add(agent.name);
  for (const session of sessions) if (hasKnownAgent(session)) knownNames.current.add(session.agent_label);
  if (chosen) knownNames.current.add(chosen);
  return [...knownNames.current].toSorted();
}

/** Whether its agent can be filtered by: until an agent has joined, the label is what the session was called. */
function hasKnownAgent(session: SessionRecord): boolean {
  return session.agent_key !== "" || session.agent_names.length > 0;
}

/** Rendered again only if the session has changed; the times update themselves. */
const SessionRow = memo(function SessionRow({ session, list }: { session: SessionRecord; list: SessionList }) {
  return (
    <tr>
      <td className="column-name" title={session.name}>
        <Link to={formatSessionPath(session.session_id)} opensRow>
          {session.name}
        </Link>
        {session.status === "broken" ? <p className="quiet">{session.failure}</p> : null}
      </td>
      <td className="column-agent" title={session.agent_label}>
        {session.agent_label}
      </td>
      <td className="column-status">
        <StatusPill session={session} />
      </td>
      <td className="column-time">
        <AgoText time={session.last_event_at} everyMs={5000} />
      </td>
      <td className="column-time column-start">
        <AgoText time={session.created_at} everyMs={5000} />
      </td>
      <td className="column-menu">
        <SessionMenu session={session} list={list} />
      </td>
    </tr>
  );
});

import { useState } from "react";
import { api, getErrorMessage } from "../api/client";
import type { SessionInfo } from "../api/types";
import { formatSessionPath, route } from "../state/route";
import { useSessions } from "../state/useSessions";
import { useNow } from "../ui/ClockTime";
import { Dialog } from "../ui/Dialog";
import { ErrorAlert } from "../ui/ErrorAlert";
import { formatAgo, formatDateTime } from "../ui/format";
import { Icon } from "../ui/Icon";
import { Menu, MenuItem } from "../ui/Menu";
import { StatusPill } from "../workbench/SessionHeader";
import { Link } from "./Link";
import { PageFrame } from "./PageFrame";

/** All sessions, the newest first. */
export function SessionsPage() {
  const { sessions, error, reload } = useSessions();
  const [query, setQuery] = useState("");
  const matches = (sessions ?? []).filter((one) =>
    `${one.name} ${one.agent_name} ${one.status}`.toLowerCase().includes(query.trim().toLowerCase()),
  );
  return (
    <PageFrame title="Sessions">
      {error ? <ErrorAlert title={error} /> : null}
      {sessions?.length === 0 ? (
        <div className="empty">
          <p>There are no sessions yet.</p>
          <button type="button" className="button primary" onClick={() => route.navigate("/agents")}>
            Choose an agent
          </button>
        </div>
      ) : sessions ? (
        <>
          <input
            type="search"
            className="input page-find"
            placeholder="find a session"
            aria-label="Find a session"
            value={query}
            onChange={(event) => setQuery(event.target.value)}
          />
          <SessionTable sessions={matches} onChange={reload} />
        </>
      ) : (
        <p className="quiet">Loading…</p>
      )}
    </PageFrame>
  );
}

function SessionTable({ sessions, onChange }: { sessions: SessionInfo[]; onChange: () => void }) {
  const now = useNow(5000);
  return (
    <table className="table">
      <thead>
        <tr>
          <th>Session</th>
          <th>Agent</th>
          <th>Status</th>
          <th>Last event</th>
          <th>Started</th>
          <th>
            <span className="sr-only">Actions</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {sessions.map((session) => (
          <tr key={session.session_id}>
            <td>
              <Link to={formatSessionPath(session.session_id)}>{session.name}</Link>
            </td>
            <td>{session.agent_name}</td>
            <td>
              <StatusPill session={session} />
            </td>
            <td title={formatDateTime(session.last_event_at)}>{formatAgo(session.last_event_at, now)}</td>
            <td title={formatDateTime(session.created_at)}>{formatAgo(session.created_at, now)}</td>
            <td className="table-actions">
              <SessionActions session={session} onChange={onChange} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

type OpenDialog = "rename" | "delete" | null;

function SessionActions({ session, onChange }: { session: SessionInfo; onChange: () => void }) {
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const [error, setError] = useState("");
  const runAndReload = async (work: () => Promise<unknown>) => {
    try {
      await work();
      setDialog(null);
      onChange();
    } catch (error) {
      setError(getErrorMessage(error));
    }
  };
  return (
    <>
      <Menu
        placement="end"
        className="button plain small icon-only"
        title="Actions"
        label={
          <>
            <Icon name="list" />
            <span className="sr-only">Actions for {session.name}</span>
          </>
        }
      >
        {(close) => (
          <>
            <MenuItem
              onClick={() => {
                close();
                setDialog("rename");
              }}
            >
              Rename
            </MenuItem>
            <MenuItem
              note="It can be read and exported; nothing can be added."
              disabled={session.status === "closed"}
              onClick={() => {
                close();
                void runAndReload(() => api.closeSession(session.session_id));
              }}
            >
              Close
            </MenuItem>
            <MenuItem
              note="With all its events."
              onClick={() => {
                close();
                setDialog("delete");
              }}
            >
              Delete…
            </MenuItem>
          </>
        )}
      </Menu>
      {error && !dialog ? <ErrorAlert title={error} /> : null}
      {dialog === "rename" ? (
        <RenameDialog
          session={session}
          onClose={() => setDialog(null)}
          onName={(name) => runAndReload(() => api.renameSession(session.session_id, name))}
        />
      ) : null}
      {dialog === "delete" ? (
        <Dialog
          title="Delete this session?"
          onClose={() => setDialog(null)}
          footer={
            <>
              <button type="button" className="button" onClick={() => setDialog(null)}>
                Keep it
              </button>
              <button
                type="button"
                className="button danger"
                onClick={() => void runAndReload(() => api.deleteSession(session.session_id))}
              >
                Delete
              </button>
            </>
          }
        >
          <p>
            “{session.name}” of {session.agent_name} and all that happened in it. What was exported stays; the session
            cannot be brought back.
          </p>
          {error ? <ErrorAlert title={error} /> : null}
        </Dialog>
      ) : null}
    </>
  );
}

function RenameDialog({
  session,
  onClose,
  onName,
}: {
  session: SessionInfo;
  onClose: () => void;
  onName: (name: string) => Promise<void>;
}) {
  const [name, setName] = useState(session.name);
  const save = () => {
    if (name.trim()) void onName(name.trim());
  };
  return (
    <Dialog
      title="Rename the session"
      onClose={onClose}
      footer={
        <button type="button" className="button primary" disabled={!name.trim()} onClick={save}>
          Rename
        </button>
      }
    >
      <input
        className="input"
        aria-label="Name of the session"
        value={name}
        maxLength={200}
        onChange={(event) => setName(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") save();
        }}
      />
    </Dialog>
  );
}

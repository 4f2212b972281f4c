import { useState } from "react";
import { api, words } from "../api/client";
import type { SessionShape } from "../api/types";
import { route, sessionPath } from "../state/route";
import { useSessions } from "../state/sessions";
import { Dialog } from "../ui/Dialog";
import { Failure } from "../ui/Failure";
import { ago, full } from "../ui/format";
import { Icon } from "../ui/Icon";
import { Menu, MenuItem } from "../ui/Menu";
import { useNow } from "../ui/Time";
import { StatusPill } from "../workbench/Header";
import { Link } from "./Link";
import { PageFrame } from "./PageFrame";

/** All sessions, the newest first. */
export function Sessions() {
  const { sessions, trouble, again } = useSessions();
  const [find, setFind] = useState("");
  const shown = (sessions ?? []).filter((one) =>
    `${one.name} ${one.agent_name} ${one.status}`.toLowerCase().includes(find.trim().toLowerCase()),
  );
  return (
    <PageFrame title="Sessions">
      {trouble ? <Failure title={trouble} /> : null}
      {sessions?.length === 0 ? (
        <div className="empty">
          <p>There are no sessions yet.</p>
          <button type="button" className="button primary" onClick={() => route.go("/agents")}>
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
            value={find}
            onChange={(event) => setFind(event.target.value)}
          />
          <SessionTable sessions={shown} onChange={again} />
        </>
      ) : (
        <p className="quiet">Loading…</p>
      )}
    </PageFrame>
  );
}

function SessionTable({ sessions, onChange }: { sessions: SessionShape[]; onChange: () => void }) {
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
              <Link to={sessionPath(session.session_id)}>{session.name}</Link>
            </td>
            <td>{session.agent_name}</td>
            <td>
              <StatusPill session={session} />
            </td>
            <td title={full(session.last_event_at)}>{ago(session.last_event_at, now)}</td>
            <td title={full(session.created_at)}>{ago(session.created_at, now)}</td>
            <td className="table-actions">
              <Actions session={session} onChange={onChange} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

type Asked = "rename" | "delete" | null;

function Actions({ session, onChange }: { session: SessionShape; onChange: () => void }) {
  const [asked, ask] = useState<Asked>(null);
  const [trouble, setTrouble] = useState("");
  const act = async (work: () => Promise<unknown>) => {
    try {
      await work();
      ask(null);
      onChange();
    } catch (error) {
      setTrouble(words(error));
    }
  };
  return (
    <>
      <Menu
        place="end"
        className="button plain small icon-only"
        title="What to do with it"
        label={
          <>
            <Icon name="list" />
            <span className="sr-only">What to do with {session.name}</span>
          </>
        }
      >
        {(close) => (
          <>
            <MenuItem
              onClick={() => {
                close();
                ask("rename");
              }}
            >
              Rename
            </MenuItem>
            <MenuItem
              note="It can be read and exported; nothing can be added."
              disabled={session.status === "closed"}
              onClick={() => {
                close();
                void act(() => api.close(session.session_id));
              }}
            >
              Close
            </MenuItem>
            <MenuItem
              note="With all that happened in it."
              onClick={() => {
                close();
                ask("delete");
              }}
            >
              Delete…
            </MenuItem>
          </>
        )}
      </Menu>
      {trouble && !asked ? <Failure title={trouble} /> : null}
      {asked === "rename" ? (
        <RenameDialog
          session={session}
          onClose={() => ask(null)}
          onName={(name) => act(() => api.rename(session.session_id, name))}
        />
      ) : null}
      {asked === "delete" ? (
        <Dialog
          title="Delete this session?"
          onClose={() => ask(null)}
          foot={
            <>
              <button type="button" className="button" onClick={() => ask(null)}>
                Keep it
              </button>
              <button
                type="button"
                className="button danger"
                onClick={() => void act(() => api.delete(session.session_id))}
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
          {trouble ? <Failure title={trouble} /> : null}
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
  session: SessionShape;
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
      foot={
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

import { useState } from "react";
import { api, words } from "../api/client";
import type { SessionShape } from "../api/types";
import { app } from "../state/app";
import { route, sessionPath } from "../state/route";
import { useWatched } from "../state/store";
import { Icon } from "../ui/Icon";
import { Menu, MenuItem } from "../ui/Menu";
import { Stopwatch } from "../ui/Time";
import { Tools } from "./PageTools";

/** Which agent, which session, where it stands, and what can be done with it as a whole. */
export function Header({
  session,
  onNew,
  onExport,
  onPanel,
  onRules,
  onTrouble,
}: {
  session: SessionShape;
  onNew: () => void;
  onExport: () => void;
  onPanel: () => void;
  onRules: () => void;
  onTrouble: (message: string) => void;
}) {
  const { server, yourTurns } = useWatched(app);
  const exportable = session.status === "done" || session.status === "closed";
  return (
    <header className="header">
      <button type="button" className="button plain icon-only" aria-label="Show or hide the briefing" onClick={onPanel}>
        <Icon name="panel" />
      </button>
      <Menu
        className="button plain agent-menu"
        label={
          <>
            <b>{app.agent(session.agent)?.name ?? session.agent_name}</b>
            <Icon name="down" />
          </>
        }
      >
        {(close) => (
          <>
            {(server?.agents ?? []).map((agent) => (
              <MenuItem
                key={agent.key}
                note={agent.key === session.agent ? "New session" : "New session of this agent"}
                onClick={() => {
                  close();
                  api.newSession(agent.key).then(
                    (made) => route.go(sessionPath(made.session_id)),
                    (error: unknown) => onTrouble(words(error)),
                  );
                }}
              >
                {agent.name}
              </MenuItem>
            ))}
            <MenuItem
              onClick={() => {
                close();
                route.go("/agents");
              }}
            >
              All agents
            </MenuItem>
            <MenuItem
              onClick={() => {
                close();
                route.go("/queue");
              }}
            >
              Queue{yourTurns ? ` (${yourTurns})` : ""}
            </MenuItem>
            <MenuItem
              onClick={() => {
                close();
                route.go("/sessions");
              }}
            >
              All sessions
            </MenuItem>
          </>
        )}
      </Menu>
      <span className="quiet header-rule">/</span>
      <SessionName session={session} onTrouble={onTrouble} />
      <span className="grow" />
      <StatusPill session={session} />
      <span className="grow" />
      <button type="button" className="button" onClick={onNew} title="A new session (Shift N)">
        <Icon name="plus" />
        New
      </button>
      <button
        type="button"
        className="button"
        disabled={!exportable}
        title={exportable ? "Write a golden trace into the EvalSet" : "Finish the turn first: send the final response"}
        onClick={onExport}
      >
        <Icon name="export" />
        Export
      </button>
      {session.agent ? (
        <button type="button" className="button" onClick={onRules} title="What answers instead of the tools">
          Rules
        </button>
      ) : null}
      <Tools />
    </header>
  );
}

function SessionName({ session, onTrouble }: { session: SessionShape; onTrouble: (message: string) => void }) {
  const [editing, setEditing] = useState(false);
  const save = (name: string) => {
    setEditing(false);
    if (name.trim() && name.trim() !== session.name) {
      api.rename(session.session_id, name.trim()).then(
        (renamed) => app.session(session.session_id).become(renamed),
        (error: unknown) => onTrouble(words(error)),
      );
    }
  };
  if (!editing) {
    return (
      <button
        type="button"
        className="button plain session-name"
        title="Rename the session"
        onClick={() => setEditing(true)}
      >
        <span>{session.name}</span>
        <Icon name="edit" />
      </button>
    );
  }
  return (
    <input
      className="input session-input"
      aria-label="Name of the session"
      defaultValue={session.name}
      maxLength={200}
      // biome-ignore lint/a11y/noAutofocus: the person has just asked to type here
      autoFocus
      onFocus={(event) => event.target.select()}
      onBlur={(event) => save(event.target.value)}
      onKeyDown={(event) => {
        if (event.key === "Enter") save(event.currentTarget.value);
        if (event.key === "Escape") setEditing(false);
      }}
    />
  );
}

const WORDS: Record<SessionShape["status"], string> = {
  query: "Waits for a message",
  your_turn: "Your turn",
  confirm: "Needs consent",
  running: "Running",
  done: "Done",
  failed: "Failed",
  stopped: "Stopped",
  abandoned: "Abandoned",
  closed: "Finished",
};

export function StatusPill({ session }: { session: SessionShape }) {
  const { status } = session;
  const tone = status === "your_turn" || status === "confirm" ? "active" : status === "failed" ? "failed" : "";
  return (
    <span className={`pill ${tone}`} data-status={status} role="status">
      {status === "running" ? <span className="spinner" /> : null}
      {WORDS[status]}
      {status === "running" && session.running_since != null ? <Stopwatch since={session.running_since} /> : null}
    </span>
  );
}

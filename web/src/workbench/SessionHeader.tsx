import { type CSSProperties, useState } from "react";
import { api, getErrorMessage } from "../api/client";
import type { SessionInfo } from "../api/types";
import { app } from "../state/app";
import { useObservable } from "../state/observable";
import { formatSessionPath, route } from "../state/route";
import { describeExport } from "../state/sessionStatus";
import type { SessionStore } from "../state/sessionStore";
import { focusComposerIfLost } from "../ui/focus";
import { formatCount } from "../ui/format";
import { Icon } from "../ui/Icon";
import { Menu, MenuItem } from "../ui/Menu";
import { PageTools } from "./PageTools";
import { StatusPill } from "./StatusPill";
import { StopButton } from "./StopButton";
import { canHaveRules } from "./usePendingFaults";

/** The agent, the session, its status, and actions on the session. */
export function SessionHeader({
  store,
  session,
  faultCount,
  onNew,
  onExport,
  onPanel,
  isRulesOpen,
  onRules,
  onError,
}: {
  store: SessionStore;
  session: SessionInfo;
  /** How many faults wait for the next calls. */
  faultCount: number;
  onNew: () => void;
  onExport: () => void;
  onPanel: () => void;
  isRulesOpen: boolean;
  onRules: () => void;
  onError: (message: string) => void;
}) {
  const { server, pendingCount } = useObservable(app);
  useObservable(store);
  const exporting = describeExport(session.status, store.listLoadedRows(), store.rowCount);
  return (
    <header className="header">
      <button type="button" className="button plain icon-only" aria-label="Show or hide the briefing" onClick={onPanel}>
        <Icon name="panel" />
      </button>
      <div className="agent-frame" style={{ "--name-length": session.agent_label.length } as CSSProperties}>
        <Menu
          className="button plain agent-menu"
          label={
            <>
              <b title={session.agent_label}>{session.agent_label}</b>
              <Icon name="down" />
            </>
          }
        >
          {(close) => (
            <>
              {(server?.agents ?? []).map((agent) => (
                <MenuItem
                  key={agent.key}
                  note={agent.key === session.agent_key ? "New session" : "New session of this agent"}
                  onClick={() => {
                    close();
                    api.createSession(agent.key).then(
                      (made) => route.navigate(formatSessionPath(made.session_id)),
                      (error: unknown) => onError(getErrorMessage(error)),
                    );
                  }}
                >
                  {agent.name}
                </MenuItem>
              ))}
              <MenuItem
                onClick={() => {
                  close();
                  route.navigate("/agents");
                }}
              >
                All agents
              </MenuItem>
              <MenuItem
                onClick={() => {
                  close();
                  route.navigate("/queue");
                }}
              >
                Queue{pendingCount ? ` (${pendingCount})` : ""}
              </MenuItem>
              <MenuItem
                onClick={() => {
                  close();
                  route.navigate("/sessions");
                }}
              >
                All sessions
              </MenuItem>
            </>
          )}
        </Menu>
      </div>
      <span className="quiet header-rule">/</span>
      <h1 className="session-heading">
        <SessionName session={session} onError={onError} />
      </h1>
      <span className="grow" />
      <StatusPill session={session} isLive />
      {session.status === "running" && session.agent_key ? <StopButton sessionId={session.session_id} /> : null}
      <span className="grow" />
      <button type="button" className="button" onClick={onNew} title="A new session">
        <Icon name="plus" />
        New
      </button>
      <button
        type="button"
        className="button"
        disabled={!exporting.isPossible}
        title={exporting.hint}
        onClick={onExport}
      >
        <Icon name="export" />
        Export
      </button>
      {canHaveRules(session) ? (
        <button
          type="button"
          className="button"
          aria-expanded={isRulesOpen}
          onClick={onRules}
          title="What answers instead of the tools"
        >
          Rules
          {faultCount ? (
            <span className="badge">
              {formatCount(faultCount, "fault")}
              <span className="badge-detail"> pending</span>
            </span>
          ) : null}
        </button>
      ) : null}
      <PageTools />
    </header>
  );
}

function SessionName({ session, onError }: { session: SessionInfo; onError: (message: string) => void }) {
  const [isEditing, setIsEditing] = useState(false);
  const stopEditing = () => {
    setIsEditing(false);
    window.setTimeout(focusComposerIfLost);
  };
  const save = (name: string) => {
    stopEditing();
    if (name.trim() && name.trim() !== session.name) {
      api.renameSession(session.session_id, name.trim()).then(
        (renamed) => app.openSession(session.session_id).replaceSession(renamed),
        (error: unknown) => onError(getErrorMessage(error)),
      );
    }
  };
  if (!isEditing) {
    return (
      <button
        type="button"
        className="button plain session-name"
        title="Rename the session"
        onClick={() => setIsEditing(true)}
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
      // biome-ignore lint/a11y/noAutofocus: the user has just clicked to edit the name
      autoFocus
      onFocus={(event) => event.target.select()}
      onBlur={(event) => save(event.target.value)}
      onKeyDown={(event) => {
        if (event.key === "Enter") save(event.currentTarget.value);
        if (event.key === "Escape") {
          event.preventDefault();
          stopEditing();
        }
      }}
    />
  );
}

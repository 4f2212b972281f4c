import type { SessionDetail } from "../api/types";
import { useObservable } from "../state/observable";
import { describeExport } from "../state/sessionStatus";
import type { SessionStore } from "../state/sessionStore";
import { ForkMenu } from "../timetravel/ForkMenu";
import { PlayerMenu } from "../timetravel/PlayerMenu";
import { isUndone } from "../timetravel/undoneRows";
import { formatCount } from "../ui/format";
import { Icon } from "../ui/Icon";
import { COMMANDS, formatCommand } from "../ui/keyboard";
import { AgentMenu } from "./AgentMenu";
import { SessionName } from "./SessionName";
import { StatusPill } from "./StatusPill";
import { StopButton } from "./StopButton";
import { ThemeAndHelpButtons } from "./ThemeAndHelpButtons";
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
  session: SessionDetail;
  /** How many faults wait for the next calls. */
  faultCount: number;
  onNew: () => void;
  onExport: () => void;
  onPanel: () => void;
  isRulesOpen: boolean;
  onRules: () => void;
  onError: (message: string) => void;
}) {
  useObservable(store);
  const rows = store.listLoadedRows();
  const missing = store.rowCount - rows.length;
  const counting = rows.filter((row) => !isUndone(row, session.time_travel.undone));
  const exporting = describeExport(session.status, counting, counting.length + missing);
  return (
    <header className="header">
      <button
        type="button"
        className="button plain icon-only"
        title={`Show or hide what the model reads (${formatCommand(COMMANDS.panel.toUpperCase())})`}
        aria-label="Show or hide what the model reads"
        onClick={onPanel}
      >
        <Icon name="panel" />
      </button>
      <AgentMenu session={session} onError={onError} />
      <span className="quiet header-rule">/</span>
      <h1 className="session-heading">
        <SessionName session={session} onError={onError} />
      </h1>
      <ForkMenu past={session.time_travel} />
      <span className="grow" />
      <StatusPill session={session} isLive />
      {session.status === "running" && session.agent_key ? <StopButton sessionId={session.session_id} /> : null}
      <PlayerMenu session={session} onError={onError} />
      <span className="grow" />
      <button type="button" className="button" onClick={onNew} title="A new session" aria-label="New">
        <Icon name="plus" />
        <span className="button-label">New</span>
      </button>
      <button
        type="button"
        className="button"
        disabled={!exporting.isPossible}
        title={exporting.hint}
        aria-label="Export"
        onClick={onExport}
      >
        <Icon name="export" />
        <span className="button-label">Export</span>
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
      <ThemeAndHelpButtons />
    </header>
  );
}

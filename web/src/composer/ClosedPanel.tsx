import type { DisplayStatus, SessionInfo } from "../api/types";
import { Icon } from "../ui/Icon";
import { ComposerHeader } from "./ComposerHeader";

const TITLES: Partial<Record<DisplayStatus, string>> = {
  closed: "This session is finished",
  abandoned: "The agent has disconnected",
};

/** A session that accepts no messages here: closed, abandoned, or of an agent in another process. */
export function ClosedPanel({
  session,
  onExport,
  onNew,
}: {
  session: SessionInfo;
  onExport: () => void;
  onNew: () => void;
}) {
  return (
    <div className="composer-frame">
      <ComposerHeader title={TITLES[session.status] ?? "This session runs in another process"}>
        {session.status === "closed"
          ? "It can be read and exported; nothing can be added."
          : session.status === "abandoned"
            ? "Its process ended while a turn was waiting. If it reconnects, the turn waits again."
            : "User messages are sent where the agent runs. Its turns appear here."}
      </ComposerHeader>
      <div className="composer-body">
        <div className="done-actions">
          <button type="button" className="button primary" onClick={onExport}>
            <Icon name="export" />
            Export
          </button>
          <button type="button" className="button" onClick={onNew}>
            New session
          </button>
        </div>
      </div>
    </div>
  );
}

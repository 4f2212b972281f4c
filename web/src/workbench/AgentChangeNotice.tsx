import { useState } from "react";
import type { SessionRecord } from "../api/types";
import { app } from "../state/app";
import { useObservable } from "../state/observable";

/** Says that the code of the agent has changed since the session began, once per change. */
export function AgentChangeNotice({ session, onNew }: { session: SessionRecord; onNew: () => void }) {
  useObservable(app);
  const [dismissed, setDismissed] = useState(0);
  const agent = app.findAgent(session.agent_key);
  const revision = agent?.revision ?? 0;
  if (!agent || session.agent_revision == null || revision <= Math.max(session.agent_revision, dismissed)) return null;
  const hasFailed = agent.load_status === "failed";
  return (
    <div className="change-notice" role="status">
      <p>
        <b>The code of {agent.name} has changed.</b> This session continues with the code that it began with.{" "}
        {hasFailed
          ? `New sessions cannot begin, because the changed code cannot be loaded: ${agent.load_problem}. ${agent.load_advice}`
          : "New sessions and forks use the changed code."}
      </p>
      {hasFailed ? null : (
        <button type="button" className="button small" onClick={onNew}>
          New session
        </button>
      )}
      <button type="button" className="button small" onClick={() => setDismissed(revision)}>
        Dismiss
      </button>
    </div>
  );
}

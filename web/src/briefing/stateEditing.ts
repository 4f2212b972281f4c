/** Whether the state of a session can be edited now, and if not, why and when it can. */

import type { SessionDetail } from "../api/types";
import { isClosed } from "../state/sessionStatus";

const EDITABLE: ReadonlySet<SessionDetail["status"]> = new Set(["new", "done", "failed", "stopped"]);

/** Whether the agent is under control, and no run of it is going on, or the run waits for a turn of the model. */
export function canEditState(session: SessionDetail): boolean {
  const isPaused = session.status === "waiting" && session.pending.every(({ kind }) => kind !== "tool");
  return session.has_control && (isPaused || EDITABLE.has(session.status));
}

/** Why the state cannot be edited now, and when or where it can. */
export function explainReadOnlyState(session: SessionDetail): string {
  if (isClosed(session.status)) {
    const end = "The session is over: its state cannot be edited.";
    return session.time_travel.fork_problem === "" ? `${end} Fork it to go on.` : end;
  }
  if (!session.has_control) {
    return (
      "The agent runs in another process, and the session state is there: this server only records what changes it. " +
      "Pass `restart=` to its SimulatorPlugin to edit it here, or edit it where the agent runs."
    );
  }
  return "The state can be edited when a turn waits for you and no tool is running, and between two runs.";
}

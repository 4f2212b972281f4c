import defaults from "../api/sessionDefaults.json";
import type { SessionDetail, TimeTravelInfo } from "../api/types";

/** The past of a session in which nothing was undone, and which is no fork. */
export const NO_TIME_TRAVEL: TimeTravelInfo = defaults.time_travel;

type ReadOnlySessionFields = Pick<
  SessionDetail,
  "session_id" | "name" | "agent_name" | "row_count" | "turn_count" | "call_count"
> &
  Partial<SessionDetail>;

/** A session that the timeline shows and nobody here can play, such as an eval case or a run of a bench. */
export function buildReadOnlySession(fields: ReadOnlySessionFields): SessionDetail {
  return { ...defaults, agent_label: fields.agent_name, created_at: 0, last_event_at: 0, status: "closed", ...fields };
}

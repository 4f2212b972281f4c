import type { SessionDetail, TimeTravelInfo } from "../api/types";

/** The past of a session in which nothing was undone, and which is no fork. */
export const NO_TIME_TRAVEL: TimeTravelInfo = {
  can_redo: false,
  can_undo: false,
  fork_problem: "",
  forked_from: null,
  forks: [],
  player: "human",
  player_problem: "",
  rewind_problem: "",
  undone: [],
};

type ReadOnlySessionFields = Pick<
  SessionDetail,
  "session_id" | "name" | "agent_name" | "row_count" | "turn_count" | "call_count"
> &
  Partial<SessionDetail>;

/** A session that the timeline shows and nobody here can play, such as an eval case or a run of a bench. */
export function buildReadOnlySession(fields: ReadOnlySessionFields): SessionDetail {
  return {
    has_control: false,
    has_world: false,
    interruption: "none",
    agent_key: "",
    agent_revision: null,
    agent_label: fields.agent_name,
    agent_names: [],
    created_at: 0,
    status: "closed",
    failure: "",
    last_seq: 0,
    pending: [],
    running_since: null,
    last_event_at: 0,
    exports: [],
    confirmation: null,
    pause: null,
    answer_problem: "",
    time_travel: NO_TIME_TRAVEL,
    ...fields,
  };
}

import { api } from "../api/client";
import type { EvalCaseDetail, SessionDetail, TimeTravelInfo } from "../api/types";
import { SessionStore } from "../state/sessionStore";

const NO_TIME_TRAVEL: TimeTravelInfo = {
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

/** A case as the session that the timeline shows. Its id changes with the content, so that nothing old is shown. */
export function createCaseStore(fileKey: string, detail: EvalCaseDetail): SessionStore {
  const { key, fingerprint } = detail.case;
  const store = new SessionStore(`${fileKey}/${key}/${fingerprint}`, (_, start, count) =>
    api.listEvalRows(fileKey, key, start, count),
  );
  store.replaceSession(toSession(store.sessionId, detail));
  return store;
}

function toSession(sessionId: string, { case: one, row_count }: EvalCaseDetail): SessionDetail {
  return {
    session_id: sessionId,
    has_world: false,
    name: one.eval_id,
    agent_key: "",
    agent_name: one.app_name,
    agent_revision: null,
    agent_label: one.app_name,
    agent_names: [],
    created_at: 0,
    status: "closed",
    failure: "",
    last_seq: 0,
    row_count,
    turn_count: one.turn_count,
    call_count: one.call_count,
    pending: [],
    running_since: null,
    last_event_at: 0,
    exports: [],
    confirmation: null,
    pause: null,
    time_travel: NO_TIME_TRAVEL,
  };
}

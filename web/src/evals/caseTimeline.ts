import { api } from "../api/client";
import type { EvalCaseDetail } from "../api/types";
import { buildReadOnlySession } from "../state/readOnlySession";
import { SessionStore } from "../state/sessionStore";

/** A case as the session that the timeline shows. Its id changes with the content, so that nothing old is shown. */
export function createCaseStore(fileKey: string, { case: one, row_count }: EvalCaseDetail): SessionStore {
  const store = new SessionStore(`${fileKey}/${one.key}/${one.fingerprint}`, (_, start, count) =>
    api.listEvalRows(fileKey, one.key, start, count),
  );
  store.replaceSession(
    buildReadOnlySession({
      session_id: store.sessionId,
      name: one.eval_id,
      agent_name: one.app_name,
      row_count,
      turn_count: one.turn_count,
      call_count: one.call_count,
    }),
  );
  return store;
}

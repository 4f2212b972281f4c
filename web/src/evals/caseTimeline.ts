import { api } from "../api/client";
import type { EvalCaseDetail } from "../api/types";
import { buildReadOnlySession } from "../state/readOnlySession";
import { SessionStore } from "../state/sessionStore";

/** A case as the session that the timeline shows. Its id changes with the content, so that nothing old is shown. */
export function createCaseStore(fileKey: string, { case: evalCase, row_count }: EvalCaseDetail): SessionStore {
  const store = new SessionStore(`${fileKey}/${evalCase.key}/${evalCase.fingerprint}`, (_, start, count) =>
    api.listEvalRows(fileKey, evalCase.key, start, count),
  );
  store.replaceSession(
    buildReadOnlySession({
      session_id: store.sessionId,
      name: evalCase.eval_id,
      agent_name: evalCase.app_name,
      row_count,
      turn_count: evalCase.turn_count,
      call_count: evalCase.call_count,
    }),
  );
  return store;
}

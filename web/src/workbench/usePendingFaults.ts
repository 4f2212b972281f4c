import { useEffect, useState } from "react";
import { api } from "../api/client";
import type { SessionRecord } from "../api/types";
import { isClosed } from "../state/sessionStatus";

/** Whether the calls of a session can be answered by rules: its agent runs on this server, and it is not closed. */
export function canHaveRules(session: SessionRecord): boolean {
  return session.agent_key !== "" && !isClosed(session.status);
}

/** How many faults wait for the next calls of a session; `version` changes when one may have been added. */
export function usePendingFaults(session: SessionRecord, version: number): number {
  const [count, setCount] = useState(0);
  const { session_id: sessionId, last_seq: lastSeq } = session;
  const hasRules = canHaveRules(session);
  // Only a call uses a fault up: without a fault, events need no request.
  const changeSeq = count > 0 ? lastSeq : 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: an event may have used a fault up, the panel may add one
  useEffect(() => {
    if (!hasRules) {
      setCount(0);
      return;
    }
    let isCancelled = false;
    api.getEnvironment(sessionId).then(
      ({ pending_faults: pending }) => {
        if (!isCancelled) setCount(Object.values(pending).reduce((sum, number) => sum + number, 0));
      },
      () => undefined,
    );
    return () => {
      isCancelled = true;
    };
  }, [sessionId, hasRules, changeSeq, version]);
  return count;
}

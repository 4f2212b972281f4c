import { useEffect, useState } from "react";
import { api } from "../api/client";
import type { SessionInfo } from "../api/types";

/** How many faults wait for the next calls of a session; `version` changes when one may have been added. */
export function usePendingFaults(session: SessionInfo, version: number): number {
  const [count, setCount] = useState(0);
  const { session_id: sessionId, agent_key: agentKey, last_seq: lastSeq } = session;
  // Only a call uses a fault up: without a fault, events need no request.
  const changeSeq = count > 0 ? lastSeq : 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: an event may have used a fault up, the panel may add one
  useEffect(() => {
    if (!agentKey) return;
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
  }, [sessionId, agentKey, changeSeq, version]);
  return count;
}

/** Calls that a person asks for outside of the composer, such as a call of the timeline that is to be made again. */

import { useEffect, useRef } from "react";
import type { StackedCall } from "./drafts";

const listeners = new Map<string, (call: StackedCall) => void>();

/** Brings a call into the composer of a session, where it can be changed before it is executed. */
export function requestCall(sessionId: string, call: StackedCall): void {
  listeners.get(sessionId)?.(call);
}

/** Calls `onCall` for each call that is requested while the component is shown. */
export function useRequestedCalls(sessionId: string, onCall: (call: StackedCall) => void): void {
  const latest = useRef(onCall);
  latest.current = onCall;
  useEffect(() => {
    listeners.set(sessionId, (call) => latest.current(call));
    return () => {
      listeners.delete(sessionId);
    };
  }, [sessionId]);
}

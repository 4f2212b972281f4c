import { useLayoutEffect, useRef } from "react";

export interface SentInput {
  send: () => Promise<boolean>;
  /** Empties the editor for what comes next. */
  clear: () => void;
  /** The request that the input was for is over, while the response to it is still on its way. */
  onLeave?: () => void;
  /** Puts the input back that was cleared before the server rejected it. */
  restore: () => void;
}

/**
 * Sends the input of an editor and then clears it, once. The live update that a request causes may arrive before the
 * response to it: then the editor is cleared when it changes to the next request, which `requestId` tells, or
 * disappears. Clearing it with the response would delete what was typed for the next request in between.
 */
export function useSendAndClear(requestId: string): (input: SentInput) => Promise<boolean> {
  const leave = useRef<(() => void) | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the editor is for another request
  useLayoutEffect(
    () => () => {
      leave.current?.();
      leave.current = null;
    },
    [requestId],
  );
  return async ({ send, clear, onLeave, restore }) => {
    let isCleared = false;
    const clearEarly = () => {
      isCleared = true;
      onLeave?.();
      clear();
    };
    leave.current = clearEarly;
    const isSent = await send();
    if (leave.current === clearEarly) leave.current = null;
    if (isSent && !isCleared) clear();
    if (!isSent && isCleared) restore();
    return isSent && !isCleared;
  };
}

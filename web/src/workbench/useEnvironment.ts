import { useEffect, useRef, useState } from "react";
import { api, getErrorMessage } from "../api/client";
import type { EnvironmentInfo } from "../api/types";

/**
 * What answers instead of the tools of a session; loaded again with each event, which may be a call that a rule
 * answered. While a change is on its way, what the server said before it is not shown: that would undo the change on the
 * page. Once the last of several changes has ended, the server is asked for the result of all of them.
 */
export function useEnvironment(sessionId: string, lastSeq: number) {
  const [environment, setEnvironment] = useState<EnvironmentInfo | null>(null);
  const [error, setError] = useState("");
  const latestLoad = useRef(0);
  const changeCount = useRef(0);
  /** Whether an answer was dropped, so that what is shown may be old. */
  const isStale = useRef(false);

  const load = () => {
    latestLoad.current += 1;
    const number = latestLoad.current;
    api.getEnvironment(sessionId).then(
      (loaded) => {
        if (number !== latestLoad.current) return;
        if (changeCount.current === 0) setEnvironment(loaded);
        else isStale.current = true;
      },
      (error: unknown) => setError(getErrorMessage(error)),
    );
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: each event may be a call that a rule answered
  useEffect(load, [sessionId, lastSeq]);

  /** Shows the environment after a change; throws if the server refuses it. */
  const change = async (request: Promise<EnvironmentInfo>): Promise<void> => {
    if (changeCount.current > 0) isStale.current = true;
    // An answer to an earlier question is older than the change.
    latestLoad.current += 1;
    changeCount.current += 1;
    let changed: EnvironmentInfo | null = null;
    try {
      changed = await request;
    } finally {
      changeCount.current -= 1;
      if (changed && !isStale.current) setEnvironment(changed);
      if (changeCount.current === 0 && (isStale.current || !changed)) {
        isStale.current = false;
        load();
      }
    }
  };
  /** Shows a switch at once; if the server refuses it, what the server has is shown again. */
  const changeAtOnce = (
    show: (now: EnvironmentInfo) => Partial<EnvironmentInfo>,
    request: Promise<EnvironmentInfo>,
  ): Promise<void> => {
    setError("");
    setEnvironment((now) => now && { ...now, ...show(now) });
    return change(request).catch((error: unknown) => setError(getErrorMessage(error)));
  };
  return { environment, error, change, changeAtOnce };
}

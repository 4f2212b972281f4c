import { useEffect, useState } from "react";
import { api, getErrorMessage } from "../api/client";
import type { SessionInfo } from "../api/types";
import { app } from "./app";
import { useObservable } from "./observable";

/** All sessions, the newest first; reloaded when the server reports a change. */
export function useSessions(): { sessions: SessionInfo[] | null; error: string; reload: () => void } {
  const { listVersion, connection } = useObservable(app);
  const [reloads, setReloads] = useState(0);
  const [sessions, setSessions] = useState<SessionInfo[] | null>(null);
  const [error, setError] = useState("");
  // biome-ignore lint/correctness/useExhaustiveDependencies: each of these means that the list may have changed
  useEffect(() => {
    let isCancelled = false;
    api.listSessions().then(
      (loaded) => {
        if (isCancelled) return;
        setSessions(loaded);
        setError("");
      },
      (error: unknown) => {
        if (!isCancelled) setError(getErrorMessage(error));
      },
    );
    return () => {
      isCancelled = true;
    };
  }, [listVersion, reloads, connection === "open"]);
  return { sessions, error, reload: () => setReloads((before) => before + 1) };
}

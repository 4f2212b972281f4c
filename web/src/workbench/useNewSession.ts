import { useRef } from "react";
import { api, getErrorMessage } from "../api/client";
import { formatSessionPath, route } from "../state/route";

/** Returns a function that starts a session of an agent and opens it; a second press while it starts does nothing. */
export function useNewSession(onError: (message: string) => void): (agentKey: string) => Promise<void> {
  const isStarting = useRef(false);
  return async (agentKey) => {
    if (isStarting.current) return;
    isStarting.current = true;
    try {
      route.navigate(formatSessionPath((await api.createSession(agentKey)).session_id));
    } catch (error) {
      onError(getErrorMessage(error));
    } finally {
      isStarting.current = false;
    }
  };
}

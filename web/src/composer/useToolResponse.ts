import { useRef } from "react";
import { ApiError, api } from "../api/client";
import type { ToolResponseInput } from "../api/types";
import { useAction } from "../ui/useAction";
import { createRandomId } from "./randomId";

const TOO_LATE_ERRORS = new Set([
  "ToolAlreadyAnswered",
  "ToolRequestAbandoned",
  "ToolRequestNotFound",
  "SessionClosed",
]);

/** Sends the response to a call. A retry keeps its decision_id, so that the server counts it once. */
export function useToolResponse(sessionId: string, requestId: string, onTooLate: (message: string) => void) {
  const action = useAction();
  const lastSent = useRef({ key: "", id: "" });
  const respond = (response: Omit<ToolResponseInput, "decision_id">): Promise<boolean> => {
    const key = JSON.stringify([requestId, response]);
    if (lastSent.current.key !== key) lastSent.current = { key, id: createRandomId() };
    return action.run(async () => {
      try {
        await api.respondAsTool(sessionId, requestId, { ...response, decision_id: lastSent.current.id });
      } catch (error) {
        if (error instanceof ApiError && TOO_LATE_ERRORS.has(error.body.error)) onTooLate(error.message);
        throw error;
      }
    });
  };
  return { ...action, respond };
}

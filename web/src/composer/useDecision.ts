import { useRef } from "react";
import { ApiError, api } from "../api/client";
import type { DecisionInput } from "../api/types";
import { useAction } from "../ui/useAction";
import { createRandomId } from "./randomId";

const TOO_LATE_ERRORS = new Set(["TurnAlreadyDecided", "TurnAbandoned", "SessionClosed"]);

/** Sends the decision of a turn. A retry keeps its decision_id, so that the server counts it once. */
export function useDecision(sessionId: string, turnId: string, onTooLate: (message: string) => void) {
  const action = useAction();
  const lastSent = useRef({ key: "", id: "" });
  const decide = (part: Omit<DecisionInput, "decision_id">): Promise<boolean> => {
    const key = JSON.stringify([turnId, part]);
    if (lastSent.current.key !== key) lastSent.current = { key, id: createRandomId() };
    return action.run(async () => {
      try {
        await api.sendDecision(sessionId, turnId, { ...part, decision_id: lastSent.current.id });
      } catch (error) {
        if (error instanceof ApiError && TOO_LATE_ERRORS.has(error.body.error)) onTooLate(error.message);
        throw error;
      }
    });
  };
  return { ...action, decide };
}

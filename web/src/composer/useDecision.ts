import { useRef, useState } from "react";
import { ApiError, api } from "../api/client";
import type { DecisionInput } from "../api/types";
import { useAction } from "../ui/useAction";
import { createRandomId } from "./randomId";

const TOO_LATE_ERRORS = new Set(["TurnAlreadyDecided", "TurnAbandoned", "SessionClosed"]);

/** Sends the decision of a turn. A retry keeps its decision_id, so that the server counts it once. */
export function useDecision(sessionId: string, turnId: string, onTooLate: (message: string) => void) {
  const action = useAction();
  /** The turn that the last request was about. The next turn waits neither for its response nor shows its error. */
  const [askedTurn, setAskedTurn] = useState(turnId);
  const isAsked = askedTurn === turnId;
  const run = (work: () => Promise<void>): Promise<boolean> => {
    setAskedTurn(turnId);
    return action.run(work);
  };
  const lastSent = useRef({ key: "", id: "" });
  const decide = (part: Omit<DecisionInput, "decision_id">): Promise<boolean> => {
    const key = JSON.stringify([turnId, part]);
    if (lastSent.current.key !== key) lastSent.current = { key, id: createRandomId() };
    const { id } = lastSent.current;
    return run(async () => {
      try {
        await api.sendDecision(sessionId, turnId, { ...part, decision_id: id });
      } catch (error) {
        if (error instanceof ApiError && TOO_LATE_ERRORS.has(error.body.error)) onTooLate(error.message);
        throw error;
      }
    });
  };
  return { ...action, isBusy: action.isBusy && isAsked, error: isAsked ? action.error : null, run, decide };
}

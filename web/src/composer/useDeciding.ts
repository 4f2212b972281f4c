import { useRef } from "react";
import { api, Refused } from "../api/client";
import type { Decision } from "../api/types";
import { useAction } from "../ui/action";
import { newId } from "./id";

const TOO_LATE = new Set(["TurnAlreadyDecided", "TurnAbandoned", "SessionClosed"]);

/** Sends decisions of a turn. The same one sent again, after a break, is the same decision to the server. */
export function useDeciding(sessionId: string, turnId: string, onTooLate: (message: string) => void) {
  const action = useAction();
  const sending = useRef({ key: "", id: "" });
  const decide = (part: Omit<Decision, "decision_id">): Promise<boolean> => {
    const key = JSON.stringify([turnId, part]);
    if (sending.current.key !== key) sending.current = { key, id: newId() };
    return action.run(async () => {
      try {
        await api.decide(sessionId, turnId, { ...part, decision_id: sending.current.id });
      } catch (error) {
        if (error instanceof Refused && TOO_LATE.has(error.refusal.error)) onTooLate(error.message);
        throw error;
      }
    });
  };
  return { ...action, decide };
}

import { useRef, useState } from "react";
import { ApiError, getErrorMessage } from "../api/client";
import type { FieldProblem } from "../api/types";

export interface ActionError {
  message: string;
  problems: FieldProblem[];
  canForce: boolean;
  code: string;
}

/** An asynchronous action: whether it is running, and the error that its last run ended with. */
export function useAction() {
  const [runningCount, setRunningCount] = useState(0);
  const [error, setError] = useState<ActionError | null>(null);
  const latest = useRef(0);
  const run = async (work: () => Promise<void>): Promise<boolean> => {
    latest.current += 1;
    const number = latest.current;
    const finish = (ended: ActionError | null) => {
      if (number === latest.current) setError(ended);
    };
    setRunningCount((count) => count + 1);
    try {
      await work();
      finish(null);
      return true;
    } catch (error) {
      finish(toActionError(error));
      return false;
    } finally {
      setRunningCount((count) => count - 1);
    }
  };
  return { isBusy: runningCount > 0, error, run, clearError: () => setError(null) };
}

function toActionError(error: unknown): ActionError {
  if (!(error instanceof ApiError)) return { message: getErrorMessage(error), problems: [], canForce: false, code: "" };
  const { message, problems = [], can_override: canForce = false, error: code } = error.body;
  return { message, problems, canForce, code };
}

import { useState } from "react";
import { ApiError, getErrorMessage } from "../api/client";
import type { FieldProblem } from "../api/types";

export interface ActionError {
  message: string;
  problems: FieldProblem[];
  canSendAnyway: boolean;
  code: string;
}

/** An asynchronous action: whether it is running, and the error it ended with. */
export function useAction() {
  const [isBusy, setIsBusy] = useState(false);
  const [error, setError] = useState<ActionError | null>(null);
  const run = async (work: () => Promise<void>): Promise<boolean> => {
    setIsBusy(true);
    try {
      await work();
      setError(null);
      return true;
    } catch (error) {
      setError(toActionError(error));
      return false;
    } finally {
      setIsBusy(false);
    }
  };
  return { isBusy, error, run, clearError: () => setError(null) };
}

function toActionError(error: unknown): ActionError {
  if (!(error instanceof ApiError))
    return { message: getErrorMessage(error), problems: [], canSendAnyway: false, code: "" };
  const { message, problems = [], can_override: canSendAnyway = false, error: code } = error.body;
  return { message, problems, canSendAnyway, code };
}

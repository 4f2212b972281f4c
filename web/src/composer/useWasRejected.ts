import { useState } from "react";
import type { ActionError } from "../ui/useAction";

/**
 * Whether what was sent has been rejected, so that all problems are shown. Not while it is being sent: whoever sees
 * the problems corrects them and sends again, which would be ignored until the response has arrived.
 */
export function useWasRejected(error: ActionError | null): [boolean, (wasRejected: boolean) => void] {
  const [wasRejected, setWasRejected] = useState(false);
  if (error && !wasRejected) setWasRejected(true);
  return [wasRejected, setWasRejected];
}

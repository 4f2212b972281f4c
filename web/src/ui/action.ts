import { useState } from "react";
import { Refused, words } from "../api/client";
import type { Problem } from "../api/types";

export interface Trouble {
  message: string;
  problems: Problem[];
  canInsist: boolean;
  error: string;
}

/** Something that the server is asked to do: whether it is under way, and why it was not done. */
export function useAction() {
  const [busy, setBusy] = useState(false);
  const [trouble, setTrouble] = useState<Trouble | null>(null);
  const run = async (work: () => Promise<void>): Promise<boolean> => {
    setBusy(true);
    try {
      await work();
      setTrouble(null);
      return true;
    } catch (error) {
      setTrouble(troubleOf(error));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { busy, trouble, run, forget: () => setTrouble(null) };
}

function troubleOf(error: unknown): Trouble {
  if (!(error instanceof Refused)) return { message: words(error), problems: [], canInsist: false, error: "" };
  const { message, problems = [], can_insist = false, error: kind } = error.refusal;
  return { message, problems, canInsist: can_insist, error: kind };
}

import { useEffect, useState } from "react";
import type { Drafts } from "./drafts";

/** What the editor of a turn shows: the finder, the form of a tool, or the response. */
export type TurnView = Pick<Drafts, "mode" | "tool">;

/** The view that Escape goes back to: where the person came from, else the finder; undefined at the beginning. */
export function findPreviousView(
  steps: readonly TurnView[],
  current: TurnView,
  canCall: boolean,
): TurnView | undefined {
  const last = steps.at(-1);
  if (last) return last;
  if (!canCall) return undefined;
  if (current.mode === "answer") return { mode: "call", tool: current.tool };
  return current.tool === null ? undefined : { mode: "call", tool: null };
}

/** Remembers the views of a turn, so that each step can be undone. What was typed stays in the drafts. */
export function useTurnSteps(turnId: string, current: TurnView, canCall: boolean, show: (view: TurnView) => void) {
  const [steps, setSteps] = useState<readonly TurnView[]>([]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a new turn starts with no steps
  useEffect(() => setSteps([]), [turnId]);
  return {
    goTo: (view: TurnView) => {
      if (view.mode !== current.mode || view.tool !== current.tool) setSteps([...steps, current]);
      show(view);
    },
    /** Goes back one step; returns whether there was one. */
    goBack: (): boolean => {
      const previous = findPreviousView(steps, current, canCall);
      if (!previous) return false;
      setSteps(steps.slice(0, -1));
      show(previous);
      return true;
    },
  };
}

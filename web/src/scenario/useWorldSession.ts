import { useEffect, useState } from "react";
import { api } from "../api/client";
import type { WorldAction, WorldActionResult, WorldInfo, WorldTool } from "../api/types";
import { type ActionError, useAction } from "../ui/useAction";

export interface WorldSession {
  world: WorldInfo | null;
  actions: WorldAction[];
  tools: WorldTool[] | null;
  isBusy: boolean;
  error: ActionError | null;
  /** Runs an action in the world and updates its state. */
  runAction: (ask: () => Promise<WorldActionResult>) => Promise<boolean>;
  /** Runs a request about the world, one at a time, and keeps its error. */
  run: (work: () => Promise<void>) => Promise<boolean>;
  clearError: () => void;
}

/** The world of a scenario, created when it is first needed. */
export function useWorldSession(key: string, isNeeded: boolean): WorldSession {
  const [world, setWorld] = useState<WorldInfo | null>(null);
  const [actions, setActions] = useState<WorldAction[]>([]);
  const [tools, setTools] = useState<WorldTool[] | null>(null);
  const { isBusy, error, run, clearError } = useAction();
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the world is first needed
  useEffect(() => {
    if (!isNeeded || tools) return;
    void run(async () => {
      const offered = await api.listWorldTools(key);
      setWorld(await api.getWorld(key));
      setActions(await api.listWorldActions(key));
      setTools(offered);
    });
  }, [isNeeded, key]);
  const runAction = (ask: () => Promise<WorldActionResult>) =>
    run(async () => {
      const { world: after, action } = await ask();
      if (action && actions.at(-1)?.index === action.index - 1) setActions((before) => [...before, action]);
      else setActions(await api.listWorldActions(key));
      setWorld(after);
    });
  return { world, actions, tools, isBusy, error, runAction, run, clearError };
}

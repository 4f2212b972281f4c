import { useEffect, useState } from "react";
import { api } from "../api/client";
import type { Acted, Deed, WorldShape, WorldTool } from "../api/types";
import { type Trouble, useAction } from "../ui/action";

export interface Played {
  world: WorldShape | null;
  deeds: Deed[];
  tools: WorldTool[] | null;
  busy: boolean;
  trouble: Trouble | null;
  /** Do something in the world. */
  act: (ask: () => Promise<Acted>) => Promise<boolean>;
  forget: () => void;
}

/** The world of a scenario, made as soon as somebody wants to play. */
export function usePlayed(key: string, wanted: boolean): Played {
  const [world, setWorld] = useState<WorldShape | null>(null);
  const [deeds, setDeeds] = useState<Deed[]>([]);
  const [tools, setTools] = useState<WorldTool[] | null>(null);
  const { busy, trouble, run, forget } = useAction();
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the world is first wanted
  useEffect(() => {
    if (!wanted || tools) return;
    void run(async () => {
      const offered = await api.worldTools(key);
      setWorld(await api.world(key));
      setDeeds(await api.deeds(key));
      setTools(offered);
    });
  }, [wanted, key]);
  const act = (ask: () => Promise<Acted>) =>
    run(async () => {
      const { world: after, deed } = await ask();
      if (deed && deeds.at(-1)?.index === deed.index - 1) setDeeds((before) => [...before, deed]);
      else setDeeds(await api.deeds(key));
      setWorld(after);
    });
  return { world, deeds, tools, busy, trouble, act, forget };
}

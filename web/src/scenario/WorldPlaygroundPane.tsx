import { useEffect, useRef } from "react";
import { api } from "../api/client";
import type { TimeControlInput } from "../api/types";
import { ErrorAlert } from "../ui/ErrorAlert";
import { formatDateTime } from "../ui/format";
import { Splitter } from "../ui/Splitter";
import type { WorldSession } from "./useWorldSession";
import { WorldActionView } from "./WorldActionView";
import { WorldCallEditor } from "./WorldCallEditor";
import { WorldTimeControls } from "./WorldTimeControls";

/** The playground: actions with their results, the time controls, and a form for every tool. */
export function WorldPlaygroundPane({
  scenarioKey,
  worldSession,
  width,
  onWidth,
}: {
  scenarioKey: string;
  worldSession: WorldSession;
  width: number;
  onWidth: (width: number) => void;
}) {
  const { world, actions, tools, isBusy, error, runAction } = worldSession;
  const list = useRef<HTMLOListElement>(null);
  const last = actions.at(-1)?.index;
  // biome-ignore lint/correctness/useExhaustiveDependencies: scroll to the last action
  useEffect(() => {
    const box = list.current;
    const item = box?.lastElementChild;
    if (box && item instanceof HTMLElement) box.scrollTop = item.offsetTop - box.offsetTop;
  }, [last, tools]);
  if (!world || !tools) {
    return (
      <section className="sc-main" aria-label="Play">
        {error ? <ErrorAlert title={error.message} /> : <p className="quiet sc-loading">Creating the world…</p>}
      </section>
    );
  }
  const changeTime = (input: TimeControlInput) => void runAction(() => api.changeWorldTime(scenarioKey, input));
  return (
    <>
      <section className="sc-main" aria-label="Play">
        <div className="sc-bar sc-time">
          <b role="status" aria-label="Time" title={formatDateTime(world.now)}>
            {world.elapsed_seconds.toLocaleString("en")} s
          </b>
          <span className="quiet">{world.status.toLowerCase()}</span>
          <WorldTimeControls isBusy={isBusy} canUndo={world.action_count > 1} onTime={changeTime} />
        </div>
        <ol ref={list} className="sc-actions scroll" aria-label="What happened">
          {actions.map((action) => (
            <WorldActionView key={action.index} action={action} />
          ))}
        </ol>
      </section>
      <Splitter label="Width of the call" side="right" min={280} max={720} width={width} onWidth={onWidth} />
      <WorldCallEditor scenarioKey={scenarioKey} tools={tools} worldSession={worldSession} />
    </>
  );
}

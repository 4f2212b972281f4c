import { useEffect, useRef } from "react";
import { api } from "../api/client";
import type { WorldTime } from "../api/types";
import { Failure } from "../ui/Failure";
import { full } from "../ui/format";
import { Splitter } from "../ui/Splitter";
import { CallEditor } from "./CallEditor";
import { DeedView } from "./DeedView";
import { TimeBar } from "./TimeBar";
import type { Played } from "./usePlayed";

/** The world to play in: what was done and what came of it, the time, and a form for every tool. */
export function Play({
  scenarioKey,
  played,
  width,
  onWidth,
}: {
  scenarioKey: string;
  played: Played;
  width: number;
  onWidth: (width: number) => void;
}) {
  const { world, deeds, tools, busy, trouble, act } = played;
  const list = useRef<HTMLOListElement>(null);
  const last = deeds.at(-1)?.index;
  // biome-ignore lint/correctness/useExhaustiveDependencies: what was done last is what the person looks at
  useEffect(() => {
    const box = list.current;
    const item = box?.lastElementChild;
    if (box && item instanceof HTMLElement) box.scrollTop = item.offsetTop - box.offsetTop;
  }, [last, tools]);
  if (!world || !tools) {
    return (
      <section className="sc-main" aria-label="Play">
        {trouble ? <Failure title={trouble.message} /> : <p className="quiet sc-loading">Making the world…</p>}
      </section>
    );
  }
  const pass = (order: WorldTime) => void act(() => api.passTime(scenarioKey, order));
  return (
    <>
      <section className="sc-main" aria-label="Play">
        <div className="sc-bar sc-time">
          <b role="status" aria-label="Time" title={full(world.now)}>
            {world.seconds.toLocaleString("en")} s
          </b>
          <span className="quiet">{world.standing.toLowerCase()}</span>
          <TimeBar busy={busy} canUndo={world.deeds > 1} onTime={pass} />
        </div>
        <ol ref={list} className="sc-deeds scroll" aria-label="What happened">
          {deeds.map((deed) => (
            <DeedView key={deed.index} deed={deed} />
          ))}
        </ol>
      </section>
      <Splitter label="Width of the call" side="right" min={280} max={720} width={width} onWidth={onWidth} />
      <CallEditor scenarioKey={scenarioKey} tools={tools} played={played} />
    </>
  );
}

import { useEffect, useRef, useState } from "react";
import { api } from "../api/client";
import type { TimeControlInput, VerdictInfo, WorldInfo } from "../api/types";
import { ErrorAlert } from "../ui/ErrorAlert";
import { formatUtcTime } from "../ui/format";
import { Icon } from "../ui/Icon";
import { Splitter } from "../ui/Splitter";
import { VerdictView } from "../verdict/VerdictView";
import { formatOffset } from "./eventKinds";
import type { WorldSession } from "./useWorldSession";
import { WorldActionView } from "./WorldActionView";
import { WorldCallEditor } from "./WorldCallEditor";
import { WorldTimeControls } from "./WorldTimeControls";

/** The playground: actions with their results, the time controls, and a form for every tool. */
export function WorldPlaygroundPane({
  scenarioKey,
  showsAnswer,
  worldSession,
  width,
  onWidth,
}: {
  scenarioKey: string;
  showsAnswer: boolean;
  worldSession: WorldSession;
  width: number;
  onWidth: (width: number) => void;
}) {
  const { world, actions, tools, isBusy, error, runAction } = worldSession;
  const [verdict, setVerdict] = useState<VerdictInfo | null>(null);
  const [opened, setOpened] = useState<number | null>(null);
  const list = useRef<HTMLOListElement>(null);
  const last = actions.at(-1)?.index;
  // biome-ignore lint/correctness/useExhaustiveDependencies: scroll to the last action
  useEffect(() => {
    const box = list.current;
    const item = box?.lastElementChild;
    if (box && item instanceof HTMLElement) box.scrollTop = item.offsetTop - box.offsetTop;
  }, [last, tools]);
  const count = world?.action_count;
  // biome-ignore lint/correctness/useExhaustiveDependencies: a verdict is about what has happened until then
  useEffect(() => setVerdict(null), [last, count]);
  useEffect(() => {
    if (opened === null || verdict) return;
    const item = list.current?.querySelector<HTMLElement>(`[data-action="${opened}"]`);
    item?.scrollIntoView({ block: "nearest" });
    item?.focus();
  }, [opened, verdict]);
  if (!world || !tools) {
    return (
      <section className="sc-main" aria-label="Play">
        {error ? <ErrorAlert title={error.message} /> : <p className="quiet sc-loading">Creating the world…</p>}
      </section>
    );
  }
  const changeTime = (input: TimeControlInput) =>
    void runAction(() => api.changeWorldTime(scenarioKey, input, showsAnswer));
  const judge = () =>
    void worldSession.run(async () => {
      setVerdict(await api.judgeWorld(scenarioKey, showsAnswer));
      setOpened(null);
    });
  return (
    <>
      <section className="sc-main" aria-label="Play">
        <div className="sc-bar sc-time">
          <b role="status" aria-label="Time">
            {world.elapsed_seconds.toLocaleString("en")} s
          </b>
          <span className="quiet">{formatUtcTime(world.now)}</span>
          <span className="quiet">{world.status.toLowerCase()}</span>
          <WorldTimeControls isBusy={isBusy} canUndo={world.action_count > 1} onTime={changeTime} />
        </div>
        <div className="sc-next-bar">
          <NextEvent world={world} />
          {verdict ? (
            <button type="button" className="button small" onClick={() => setVerdict(null)}>
              What happened
            </button>
          ) : (
            <button
              type="button"
              className="button small"
              title="Compare what happened with what the scenario expects of the agent"
              disabled={isBusy}
              onClick={judge}
            >
              <Icon name="verdict" />
              Judge
            </button>
          )}
        </div>
        {verdict ? (
          <div className="sc-actions scroll">
            <VerdictView
              verdict={verdict}
              canOpen={(event) => event.action_index !== null}
              onOpen={(event) => {
                setOpened(event.action_index);
                setVerdict(null);
              }}
            />
          </div>
        ) : (
          <ol ref={list} className="sc-actions scroll" aria-label="What happened">
            {actions.map((action) => (
              <WorldActionView key={action.index} action={action} isOpened={action.index === opened} />
            ))}
          </ol>
        )}
      </section>
      <Splitter label="Width of the call" side="right" min={280} max={720} width={width} onWidth={onWidth} />
      <WorldCallEditor scenarioKey={scenarioKey} tools={tools} worldSession={worldSession} />
    </>
  );
}

/** What happens next without the agent, or that nothing does until the agent says something. */
function NextEvent({ world }: { world: WorldInfo }) {
  const isWaiting = world.next_event !== "" && world.next_event_seconds === null;
  return (
    <p className={`sc-next${isWaiting ? " sc-waits" : ""}`} role="status" aria-label="Next event">
      {!world.next_event ? (
        <span className="quiet">No events are left.</span>
      ) : isWaiting ? (
        <>
          <Icon name="say" />
          <span>
            The next event waits for the agent's message to the user: <b className="mono">{world.next_event}</b>
          </span>
        </>
      ) : (
        <>
          <span className="quiet">Next event</span> <b className="mono">{world.next_event}</b>{" "}
          <span className="quiet">{formatOffset(world.next_event_seconds)}</span>
        </>
      )}
    </p>
  );
}

import { useState } from "react";
import { api } from "../api/client";
import { PageFrame } from "../pages/PageFrame";
import { ErrorAlert } from "../ui/ErrorAlert";
import { type BenchState, countOutcomes, getCell } from "./benchMatrix";
import { CellRuns } from "./CellRuns";
import { MatrixGrid } from "./MatrixGrid";
import { useBench } from "./useBench";
import "./benches.css";

/** A bench while it runs: the matrix of agents and scenarios, and the runs of a cell. */
export default function BenchPage({ benchKey }: { benchKey: string }) {
  const { state, error, act } = useBench(benchKey);
  const [chosen, setChosen] = useState<{ scenario: number; variant: number } | null>(null);
  const isPaused = state?.info.is_paused ?? false;
  return (
    <PageFrame title="Benches" fillsWindow hasOwnHeading>
      {error ? <ErrorAlert title={error} /> : null}
      {state ? (
        <div className="bn-page">
          <div className="bn-bar">
            <h1>{state.info.name}</h1>
            <Progress state={state} />
            <span className="grow" />
            {state.info.is_running ? (
              <button
                type="button"
                className="button small"
                onClick={() => void act(() => api.pauseBench(benchKey, !isPaused))}
              >
                {isPaused ? "Continue" : "Pause"}
              </button>
            ) : null}
          </div>
          <div className="bn-panes">
            <MatrixGrid state={state} chosen={chosen} onChoose={setChosen} />
            <CellRuns
              benchKey={benchKey}
              state={state}
              chosen={chosen}
              cell={chosen ? getCell(state, chosen.scenario, chosen.variant) : undefined}
              onClear={() => setChosen(null)}
              onRepeat={(runId) => act(() => api.repeatBenchRun(benchKey, runId))}
            />
          </div>
        </div>
      ) : null}
    </PageFrame>
  );
}

function Progress({ state }: { state: BenchState }) {
  const { finished, passed, failed, errored } = countOutcomes(state);
  const { planned, is_running, is_paused, running } = state.info;
  const status = is_paused
    ? running.length
      ? "pausing"
      : "paused"
    : is_running
      ? `${running.length} running`
      : finished < planned
        ? "stopped"
        : "finished";
  const number = (count: number) => count.toLocaleString("en");
  return (
    <span className="bn-progress" role="status">
      <progress max={planned || 1} value={finished} aria-label="Finished runs" />
      <span>
        {number(finished)} of {number(planned)} runs
      </span>
      <span className="quiet">
        {number(passed)} passed, {number(failed)} failed, {number(errored)} errors
      </span>
      <b>{status}</b>
    </span>
  );
}

import { api } from "../api/client";
import type { ActiveRun, BenchResult } from "../api/types";
import { Link } from "../pages/Link";
import { formatBenchPath } from "../state/route";
import { Stopwatch } from "../ui/ClockTime";
import { formatCount } from "../ui/format";
import { type BenchState, type Cell, formatRun, isOfVariant } from "./benchMatrix";

/** What is running; or the runs of the chosen cell: how each ended, its page, and a way to run it again. */
export function CellRuns({
  benchKey,
  state,
  chosen,
  cell,
  onClear,
  onRepeat,
}: {
  benchKey: string;
  state: BenchState;
  chosen: { scenario: number; variant: number } | null;
  cell: Cell | undefined;
  /** Chooses no cell, so that all that is running is shown. */
  onClear: () => void;
  onRepeat: (runId: string) => Promise<void>;
}) {
  const { info } = state;
  if (!chosen) {
    return (
      <aside className="bn-runs scroll" aria-label="Runs">
        {info.running.length ? <h2>Running now</h2> : null}
        {info.running.map((run) => (
          <RunningRun
            key={run.run_id}
            benchKey={benchKey}
            run={run}
            name={`${run.scenario} · ${info.variants.find((column) => isOfVariant(run, column))?.label}`}
          />
        ))}
        <p className="quiet bn-hint">Choose a cell to see its runs.</p>
      </aside>
    );
  }
  const [scenario, column] = [info.scenarios[chosen.scenario], info.variants[chosen.variant]];
  const runningById = new Map(info.running.map((run) => [run.run_id, run]));
  const requestedIds = new Set(info.requested.map((run) => run.run_id));
  const finishedIds = new Set(cell?.runs.map((run) => run.run_id));
  const firstRuns = info.running.filter(
    (run) => run.scenario === scenario && column && isOfVariant(run, column) && !finishedIds.has(run.run_id),
  );
  return (
    <aside className="bn-runs scroll" aria-label="Runs of the chosen cell">
      {info.running.length ? (
        <button type="button" className="button small bn-clear" onClick={onClear}>
          {info.running.length} running now
        </button>
      ) : null}
      <h2>{scenario}</h2>
      <p className="quiet">{column?.label}</p>
      {firstRuns.map((run) => (
        <RunningRun key={run.run_id} benchKey={benchKey} run={run} />
      ))}
      {cell?.runs.map((run) => (
        <Run
          key={run.run_id}
          benchKey={benchKey}
          run={run}
          hasTimeline={info.keeps_timelines}
          again={runningById.get(run.run_id)}
          isRequested={requestedIds.has(run.run_id)}
          onRepeat={() => onRepeat(run.run_id)}
        />
      ))}
      {!cell?.runs.length && !firstRuns.length ? <p className="quiet">No run has ended yet.</p> : null}
    </aside>
  );
}

/** A run that is executed now, which can be watched. */
function RunningRun({ benchKey, run, name = "" }: { benchKey: string; run: ActiveRun; name?: string }) {
  return (
    <section className="bn-run">
      {name ? <p className="bn-place">{name}</p> : null}
      <div className="bn-run-head">
        <span className="spinner" />
        <span>{formatRun(run)}</span>
        {run.started_at !== null ? <Stopwatch since={run.started_at} /> : null}
        <span className="grow" />
        <Link to={formatBenchPath(benchKey, run.run_id)}>Watch the run</Link>
      </div>
    </section>
  );
}

function Run({
  benchKey,
  run,
  hasTimeline,
  again,
  isRequested,
  onRepeat,
}: {
  benchKey: string;
  run: BenchResult;
  /** Whether its rows are stored. */
  hasTimeline: boolean;
  /** The run, if it is executed again now. */
  again: ActiveRun | undefined;
  isRequested: boolean;
  onRepeat: () => void;
}) {
  return (
    <section className="bn-run">
      <div className="bn-run-head">
        <span className={`bn-outcome ${run.outcome}`}>{run.outcome.replace("_", " ")}</span>
        <span>{formatRun(run)}</span>
        <span className="grow" />
        {hasTimeline ? <Link to={formatBenchPath(benchKey, run.run_id)}>Timeline</Link> : null}
        {run.report ? (
          <a href={api.benchReportUrl(benchKey, run.report)} target="_blank" rel="noreferrer">
            Open the run
          </a>
        ) : null}
      </div>
      {run.reason ? <p className="bn-reason">{run.reason}</p> : null}
      <p className="quiet">
        {formatCount(run.input_tokens + run.output_tokens, "token")}, {formatCount(run.model_calls, "model call")},{" "}
        {formatCount(run.tool_calls, "tool call")}, {run.simulated_seconds} s simulated, {run.wall_seconds} s wall
      </p>
      {again ? (
        <>
          <p className="quiet" role="status">
            running again
          </p>
          <RunningRun benchKey={benchKey} run={again} />
        </>
      ) : isRequested ? (
        <p className="quiet" role="status">
          will run again
        </p>
      ) : (
        <button type="button" className="button small" onClick={onRepeat}>
          Run again
        </button>
      )}
    </section>
  );
}

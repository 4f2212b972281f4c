import { api } from "../api/client";
import type { BenchRunInfo, BenchRunRef } from "../api/types";
import { Link } from "../pages/Link";
import { formatBenchPath } from "../state/route";
import { Stopwatch } from "../ui/ClockTime";
import { formatCount } from "../ui/format";
import { type BenchState, type Cell, formatRun, type RunKey } from "./benchMatrix";

/** What is running; or the runs of the chosen cell: how each ended, its page, and a way to run it again. */
export function CellRuns({
  benchKey,
  state,
  chosen,
  cell,
  onClear,
  onRequeue,
}: {
  benchKey: string;
  state: BenchState;
  chosen: { scenario: number; variant: number } | null;
  cell: Cell | undefined;
  /** Chooses no cell, so that all that is running is shown. */
  onClear: () => void;
  onRequeue: (key: RunKey) => Promise<void>;
}) {
  const { info } = state;
  if (!chosen) {
    return (
      <aside className="bn-runs scroll" aria-label="Runs">
        {info.running.length ? <h2>Running now</h2> : null}
        {info.running.map((runRef) => (
          <RunningRun
            key={runRef.run_id}
            benchKey={benchKey}
            runRef={runRef}
            name={`${info.scenarios[runRef.scenario]} · ${info.variants[runRef.variant]}`}
          />
        ))}
        <p className="quiet bn-hint">Choose a cell to see its runs.</p>
      </aside>
    );
  }
  const runningRefs = new Map(info.running.map((runRef) => [runRef.run_id, runRef]));
  const requestedIds = new Set(info.requested.map((runRef) => runRef.run_id));
  const finishedIds = new Set(cell?.runs.map((run) => run.run_id));
  const firstRuns = info.running.filter(
    (runRef) =>
      runRef.scenario === chosen.scenario && runRef.variant === chosen.variant && !finishedIds.has(runRef.run_id),
  );
  return (
    <aside className="bn-runs scroll" aria-label="Runs of the chosen cell">
      {info.running.length ? (
        <button type="button" className="button small bn-clear" onClick={onClear}>
          {info.running.length} running now
        </button>
      ) : null}
      <h2>{info.scenarios[chosen.scenario]}</h2>
      <p className="quiet">{info.variants[chosen.variant]}</p>
      {firstRuns.map((runRef) => (
        <RunningRun key={runRef.run_id} benchKey={benchKey} runRef={runRef} />
      ))}
      {cell?.runs.map((run) => (
        <Run
          key={run.run_id}
          benchKey={benchKey}
          run={run}
          hasTimeline={info.keeps_timelines}
          again={runningRefs.get(run.run_id)}
          isRequested={requestedIds.has(run.run_id)}
          onRequeue={() => onRequeue(run.run_key)}
        />
      ))}
      {!cell?.runs.length && !firstRuns.length ? <p className="quiet">No run has ended yet.</p> : null}
    </aside>
  );
}

/** A run that is executed now, which can be watched. */
function RunningRun({ benchKey, runRef, name = "" }: { benchKey: string; runRef: BenchRunRef; name?: string }) {
  return (
    <section className="bn-run">
      {name ? <p className="bn-place">{name}</p> : null}
      <div className="bn-run-head">
        <span className="spinner" />
        <span>{formatRun(runRef.run_key)}</span>
        {runRef.started_at !== null ? <Stopwatch since={runRef.started_at} /> : null}
        <span className="grow" />
        <Link to={formatBenchPath(benchKey, runRef.run_id)}>Watch the run</Link>
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
  onRequeue,
}: {
  benchKey: string;
  run: BenchRunInfo;
  /** Whether its rows are stored. */
  hasTimeline: boolean;
  /** The run, if it is executed again now. */
  again: BenchRunRef | undefined;
  isRequested: boolean;
  onRequeue: () => void;
}) {
  return (
    <section className="bn-run">
      <div className="bn-run-head">
        <span className={`bn-outcome ${run.outcome}`}>{run.outcome.replace("_", " ")}</span>
        <span>{formatRun(run.run_key)}</span>
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
        {formatCount(run.tokens, "token")}, {formatCount(run.model_calls, "model call")},{" "}
        {formatCount(run.tool_calls, "tool call")}, {run.simulated_seconds} s simulated, {run.wall_seconds} s wall
      </p>
      {again ? (
        <>
          <p className="quiet" role="status">
            running again
          </p>
          <RunningRun benchKey={benchKey} runRef={again} />
        </>
      ) : isRequested ? (
        <p className="quiet" role="status">
          will run again
        </p>
      ) : (
        <button type="button" className="button small" onClick={onRequeue}>
          Run again
        </button>
      )}
    </section>
  );
}

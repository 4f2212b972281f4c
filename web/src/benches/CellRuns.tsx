import { api } from "../api/client";
import type { BenchRunInfo } from "../api/types";
import { type BenchState, type Cell, formatRunKey, type RunKey } from "./benchMatrix";

/** The runs of the chosen cell: how each ended, its page, and a way to run it again. */
export function CellRuns({
  benchKey,
  state,
  chosen,
  cell,
  onRequeue,
}: {
  benchKey: string;
  state: BenchState;
  chosen: { scenario: number; variant: number } | null;
  cell: Cell | undefined;
  onRequeue: (key: RunKey) => Promise<void>;
}) {
  if (!chosen) {
    return (
      <aside className="bn-runs scroll" aria-label="Runs of the chosen cell">
        <p className="quiet">Choose a cell to see its runs.</p>
      </aside>
    );
  }
  const { info } = state;
  const running = new Set(info.running.map((each) => formatRunKey(each.run_key)));
  const requested = new Set(info.requested.map((each) => formatRunKey(each.run_key)));
  const known = new Set(cell?.runs.map((run) => formatRunKey(run.run_key)));
  const started = info.running.filter(
    (each) =>
      each.scenario === chosen.scenario && each.variant === chosen.variant && !known.has(formatRunKey(each.run_key)),
  );
  return (
    <aside className="bn-runs scroll" aria-label="Runs of the chosen cell">
      <h2>{info.scenarios[chosen.scenario]}</h2>
      <p className="quiet">{info.variants[chosen.variant]}</p>
      {started.map((each) => (
        <section key={formatRunKey(each.run_key)} className="bn-run">
          <span className="spinner" /> {formatRun(each.run_key)} is running
        </section>
      ))}
      {cell?.runs.map((run) => {
        const key = formatRunKey(run.run_key);
        const status = running.has(key) ? "running again" : requested.has(key) ? "will run again" : "";
        return <Run key={key} benchKey={benchKey} run={run} status={status} onRequeue={() => onRequeue(run.run_key)} />;
      })}
      {!cell?.runs.length && !started.length ? <p className="quiet">No run has ended yet.</p> : null}
    </aside>
  );
}

function Run({
  benchKey,
  run,
  status,
  onRequeue,
}: {
  benchKey: string;
  run: BenchRunInfo;
  status: string;
  onRequeue: () => void;
}) {
  return (
    <section className="bn-run">
      <div className="bn-run-head">
        <span className={`bn-outcome ${run.outcome}`}>{run.outcome.replace("_", " ")}</span>
        <span>{formatRun(run.run_key)}</span>
        <span className="grow" />
        {run.report ? (
          <a href={api.benchReportUrl(benchKey, run.report)} target="_blank" rel="noreferrer">
            Open the run
          </a>
        ) : null}
      </div>
      {run.reason ? <p className="bn-reason">{run.reason}</p> : null}
      <p className="quiet">
        {run.tokens.toLocaleString("en")} tokens, {run.model_calls} model calls, {run.tool_calls} tool calls,{" "}
        {run.simulated_seconds} s simulated, {run.wall_seconds} s wall
      </p>
      {status ? (
        <p className="quiet" role="status">
          {status}
        </p>
      ) : (
        <button type="button" className="button small" onClick={onRequeue}>
          Run again
        </button>
      )}
    </section>
  );
}

function formatRun(key: RunKey): string {
  return `run ${key.run}, seed ${key.seed}`;
}

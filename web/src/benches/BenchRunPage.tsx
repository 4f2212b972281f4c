import { useMemo } from "react";
import { api } from "../api/client";
import type { BenchRunDetail } from "../api/types";
import { Link } from "../pages/Link";
import { PageFrame } from "../pages/PageFrame";
import { formatBenchPath } from "../state/route";
import { RowSourceProvider } from "../timeline/rowSource";
import { Timeline } from "../timeline/Timeline";
import { Stopwatch } from "../ui/ClockTime";
import { ErrorAlert } from "../ui/ErrorAlert";
import { formatCount } from "../ui/format";
import { formatRun } from "./benchMatrix";
import { type BenchRunState, useBenchRun } from "./useBenchRun";
import "./benches.css";

/** A run: what has happened so far while it is executed; and when it has ended, how, with what is stored of it. */
export default function BenchRunPage({ benchKey, runId }: { benchKey: string; runId: string }) {
  const { state, error } = useBenchRun(benchKey, runId);
  return (
    <PageFrame title="Benches" fillsWindow hasOwnHeading>
      {error ? (
        <ErrorAlert title={error}>
          <Link to={formatBenchPath(benchKey)} className="button small">
            All runs
          </Link>
        </ErrorAlert>
      ) : null}
      {state ? (
        <div className="bn-page">
          <RunHeader benchKey={benchKey} detail={state.detail} />
          {state.detail.problem ? <ErrorAlert title={state.detail.problem} /> : null}
          <RunTimeline benchKey={benchKey} runId={runId} state={state} />
        </div>
      ) : null}
    </PageFrame>
  );
}

function RunHeader({ benchKey, detail }: { benchKey: string; detail: BenchRunDetail }) {
  const { run, result } = detail;
  return (
    <header className="bn-run-header">
      <div className="bn-run-name">
        <h1>
          <Link to={formatBenchPath(benchKey)}>{detail.bench_name}</Link> / <span>{run.scenario}</span>
        </h1>
        <p className="quiet">
          {detail.variant_name} · {formatRun(run)}
          {detail.row_count
            ? ` · ${formatCount(detail.turn_count, "model call")} · ${formatCount(detail.call_count, "tool call")}`
            : ""}
        </p>
        {result?.reason ? <p className="bn-reason">{result.reason}</p> : null}
      </div>
      <RunStatus detail={detail} />
      {result?.report ? (
        <a
          className="button small primary"
          href={api.benchReportUrl(benchKey, result.report)}
          target="_blank"
          rel="noreferrer"
        >
          Open the report
        </a>
      ) : null}
    </header>
  );
}

const STATUS_TITLES = {
  waiting: "It will be tried again, or its result is being saved",
  stopped: "The bench is not running; continue it with --resume",
};

function RunStatus({ detail: { status, run, result } }: { detail: BenchRunDetail }) {
  if (result) {
    return (
      <span className={`bn-outcome ${result.outcome}`} role="status">
        {result.outcome.replace("_", " ")}
      </span>
    );
  }
  if (status === "running") {
    return (
      <span className="pill">
        <span className="spinner" />
        <span role="status">running</span>
        {run.started_at !== null ? <Stopwatch since={run.started_at} /> : null}
      </span>
    );
  }
  return (
    <span className="pill" role="status" title={status === "ended" ? undefined : STATUS_TITLES[status]}>
      {status}
    </span>
  );
}

function RunTimeline({
  benchKey,
  runId,
  state: { detail, store },
}: {
  benchKey: string;
  runId: string;
  state: BenchRunState;
}) {
  const source = useMemo(
    () => ({
      getRow: (_: string, index: number, full: boolean) => api.getBenchRunRow(benchKey, runId, index, full),
      getVerdict: (_: string, index: number) => api.getBenchRunVerdict(benchKey, runId, index),
      takesNotes: false,
      // The times of rows are those of the scenario's world.
      controlsCalls: false,
    }),
    [benchKey, runId],
  );
  if (!store?.session?.row_count) {
    return (
      <div className="empty">
        <p>{describeNoRows(detail)}</p>
      </div>
    );
  }
  return (
    <RowSourceProvider value={source}>
      <div className="bn-timeline">
        <Timeline key={store.sessionId} store={store} session={store.session} />
      </div>
    </RowSourceProvider>
  );
}

function describeNoRows({ status, result }: BenchRunDetail): string {
  if (status === "running") return "The agent is starting. What it does appears here.";
  if (result) {
    const advice = "The rows of this run are not stored: a bench keeps them with --timeline or --db.";
    return result.report ? `${advice} Its report shows what happened.` : advice;
  }
  return status === "waiting"
    ? "The run has not restarted yet."
    : "The run was stopped. Continue its bench with --resume.";
}

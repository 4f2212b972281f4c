import { useEffect, useRef, useState } from "react";
import { api, getErrorMessage } from "../api/client";
import type { BenchRunDetail } from "../api/types";
import { buildReadOnlySession } from "../state/readOnlySession";
import { SessionStore } from "../state/sessionStore";
import { usePoll } from "./usePoll";

/** A run, kept up to date while the page is visible; only what is new is requested. */
export interface BenchRunState {
  detail: BenchRunDetail;
  /** The rows of the last attempt that has some; they stay when the server has dropped them. */
  store: SessionStore | null;
}

export function useBenchRun(benchKey: string, runId: string): { state: BenchRunState | null; error: string } {
  const [state, setState] = useState<BenchRunState | null>(null);
  const [error, setError] = useState("");
  const latest = useRef<BenchRunState | null>(null);
  const closed = useRef(false);
  useEffect(() => {
    closed.current = false;
    return () => {
      closed.current = true;
    };
  }, []);
  usePoll(async () => {
    try {
      const before = latest.current?.detail;
      const detail = await api.getBenchRun(benchKey, runId, before?.attempt ?? "", before?.last_seq ?? 0);
      if (closed.current) return;
      latest.current = { detail, store: updateStore(latest.current, benchKey, runId, detail) };
      setState(latest.current);
      setError("");
    } catch (error) {
      if (!closed.current) setError(getErrorMessage(error));
    }
  }, `${benchKey}/${runId}`);
  return { state, error };
}

function updateStore(
  before: BenchRunState | null,
  benchKey: string,
  runId: string,
  detail: BenchRunDetail,
): SessionStore | null {
  if (!detail.attempt) return before?.store ?? null;
  const isSame = before?.store && before.detail.attempt === detail.attempt;
  // The id changes with the attempt, so that nothing of another one is shown.
  const store = isSame
    ? before.store
    : new SessionStore(`${benchKey}/${runId}/${detail.attempt}`, (_, start, count) =>
        api.listBenchRunRows(benchKey, runId, start, count),
      );
  store?.applyUpdate({
    type: "session",
    session: buildReadOnlySession({
      session_id: store.sessionId,
      name: detail.run.scenario,
      agent_name: detail.run.agent,
      status: detail.status === "running" ? "running" : "closed",
      last_seq: detail.last_seq,
      row_count: detail.row_count,
      turn_count: detail.turn_count,
      call_count: detail.call_count,
    }),
    rows: detail.rows,
  });
  return store;
}

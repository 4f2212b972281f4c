import { useEffect, useState } from "react";
import { getErrorMessage } from "../api/client";
import type { RowDetail, TimelineRow } from "../api/types";
import { useRowSource } from "./rowSource";

const MAX_CACHED = 200;
/** Details that were loaded before, so that a row that scrolls back into view has its height at once. */
const cachedDetails = new Map<string, RowDetail>();

function cacheDetail(key: string, detail: RowDetail): void {
  cachedDetails.delete(key);
  cachedDetails.set(key, detail);
  const [oldest] = cachedDetails.keys();
  if (cachedDetails.size > MAX_CACHED && oldest !== undefined) cachedDetails.delete(oldest);
}

/** The details of a row, loaded when they are shown for `delayMs` and again when the row changes. */
export function useRowDetail(sessionId: string, row: TimelineRow, delayMs = 0) {
  const key = `${sessionId}:${row.index}:${row.updated_seq}`;
  const [detail, setDetail] = useState<RowDetail | null>(cachedDetails.get(key) ?? null);
  const [error, setError] = useState("");
  const { getRow } = useRowSource();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a changed row has other details
  useEffect(() => {
    const cached = cachedDetails.get(key);
    if (cached) {
      setDetail(cached);
      return;
    }
    let isCancelled = false;
    const load = () =>
      void getRow(sessionId, row.index, false).then(
        (loaded) => {
          cacheDetail(key, loaded);
          if (isCancelled) return;
          setDetail(loaded);
          setError("");
        },
        (error: unknown) => {
          if (!isCancelled) setError(getErrorMessage(error));
        },
      );
    const timer = delayMs ? window.setTimeout(load, delayMs) : 0;
    if (!delayMs) load();
    return () => {
      window.clearTimeout(timer);
      isCancelled = true;
    };
  }, [sessionId, row.index, row.updated_seq]);
  return { detail, error, setDetail };
}

import { useCallback, useEffect, useRef, useState } from "react";
import { api, getErrorMessage } from "../api/client";
import type { BenchInfo } from "../api/types";
import { type BenchState, mergeBench } from "./benchMatrix";
import { usePoll } from "./usePoll";

/** A bench, kept up to date while the page is visible: only what is new is requested. */
export function useBench(key: string): {
  state: BenchState | null;
  error: string;
  act: (request: () => Promise<BenchInfo>) => Promise<void>;
} {
  const [state, setState] = useState<BenchState | null>(null);
  const [error, setError] = useState("");
  const latest = useRef<BenchState | null>(null);
  const closed = useRef(false);
  const add = useCallback((info: BenchInfo) => {
    // Answers may overtake each other: one that knows less than what is shown is dropped.
    const before = latest.current?.info;
    if (closed.current || (before && info.generation === before.generation && info.next < before.next)) return;
    latest.current = mergeBench(latest.current, info);
    setState(latest.current);
    setError("");
  }, []);
  const fail = useCallback((error: unknown) => {
    if (!closed.current) setError(getErrorMessage(error));
  }, []);
  const act = useCallback((request: () => Promise<BenchInfo>) => request().then(add, fail), [add, fail]);
  useEffect(() => {
    closed.current = false;
    return () => {
      closed.current = true;
    };
  }, []);
  usePoll(() => {
    const info = latest.current?.info;
    return api.getBench(key, info?.generation ?? -1, info?.next ?? 0).then(add, fail);
  }, key);
  return { state, error, act };
}

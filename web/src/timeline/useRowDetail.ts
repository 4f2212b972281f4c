import { useEffect, useState } from "react";
import { api, getErrorMessage } from "../api/client";
import type { Row, RowDetail } from "../api/types";

/** The details of a row, loaded when they are shown and again when the row changes. */
export function useRowDetail(sessionId: string, row: Row) {
  const [detail, setDetail] = useState<RowDetail | null>(null);
  const [error, setError] = useState("");
  // biome-ignore lint/correctness/useExhaustiveDependencies: a changed row has other details
  useEffect(() => {
    let isCancelled = false;
    api.getRow(sessionId, row.index, false).then(
      (loaded) => {
        if (isCancelled) return;
        setDetail(loaded);
        setError("");
      },
      (error: unknown) => {
        if (!isCancelled) setError(getErrorMessage(error));
      },
    );
    return () => {
      isCancelled = true;
    };
  }, [sessionId, row.index, row.updated_seq]);
  return { detail, error, setDetail };
}

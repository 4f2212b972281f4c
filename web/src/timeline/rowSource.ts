import { createContext, useContext } from "react";
import { api } from "../api/client";
import type { RowDetail, SessionVerdict, TimelineRow } from "../api/types";

/** Where the details of rows come from, and what can be done with rows: of a session, a case of an EvalSet, a run. */
export interface RowSource {
  getRow: (sessionId: string, index: number, full: boolean) => Promise<RowDetail>;
  /** Returns the verdict that a row shows. */
  getVerdict: (sessionId: string, index: number) => Promise<SessionVerdict>;
  takesNotes: boolean;
  /** Whether the calls that run were started in real time, and can be cancelled. */
  controlsCalls: boolean;
  /** Returns the mark of a row that stands out, such as one that is not as recorded; null for others. */
  findMark?: (row: TimelineRow) => { label: string; title: string } | null;
}

const RowSourceContext = createContext<RowSource>({
  getRow: api.getRow,
  getVerdict: api.getVerdict,
  takesNotes: true,
  controlsCalls: true,
});

export const RowSourceProvider = RowSourceContext.Provider;

export function useRowSource(): RowSource {
  return useContext(RowSourceContext);
}

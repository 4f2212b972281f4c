import { createContext, useContext } from "react";
import { api } from "../api/client";
import type { Row, RowDetail } from "../api/types";

/** Where the details of rows come from, and whether rows take notes: a session, or a case of an EvalSet. */
export interface RowSource {
  getRow: (sessionId: string, index: number, full: boolean) => Promise<RowDetail>;
  takesNotes: boolean;
  /** Returns the mark of a row that stands out, such as one that is not as recorded; null for others. */
  findMark?: (row: Row) => { label: string; title: string } | null;
}

const RowSourceContext = createContext<RowSource>({ getRow: api.getRow, takesNotes: true });

export const RowSourceProvider = RowSourceContext.Provider;

export function useRowSource(): RowSource {
  return useContext(RowSourceContext);
}

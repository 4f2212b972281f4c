import { createContext, useContext } from "react";

/** Shows a row of the timeline, wherever it is. */
export type GoToRow = (index: number) => void;

export const RowNavigation = createContext<GoToRow>(() => undefined);

export function useRowNavigation(): GoToRow {
  return useContext(RowNavigation);
}

/** A row that is to be shown; a new object for each request. */
export interface RowTarget {
  index: number;
}

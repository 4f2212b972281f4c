import { createContext, useContext } from "react";
import type { SessionDetail, TimelineRow, TravelProgress } from "../api/types";
import type { TravelRequest } from "./travel";

/** What the parts of the workbench can do with the past of its session. */
export interface Travel {
  session: SessionDetail;
  isBusy: boolean;
  /** What the replay waits for, if that takes long. */
  progress: TravelProgress | null;
  start: (request: TravelRequest) => void;
  onError: (message: string) => void;
  isUndone: (row: TimelineRow) => boolean;
}

export const TravelContext = createContext<Travel | null>(null);

/** The past of the session that is shown; null outside of a workbench. */
export function useTravel(): Travel | null {
  return useContext(TravelContext);
}

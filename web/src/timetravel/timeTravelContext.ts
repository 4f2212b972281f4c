import { createContext, useContext } from "react";
import type { SessionDetail, TimelineRow, TimeTravelProgress } from "../api/types";
import type { TimeTravelChoice } from "./timeTravel";

/** What the parts of the workbench can do with the past of its session. */
export interface TimeTravel {
  session: SessionDetail;
  isBusy: boolean;
  /** What the replay waits for, if that takes long. */
  progress: TimeTravelProgress | null;
  start: (request: TimeTravelChoice) => void;
  onError: (message: string) => void;
  isUndone: (row: TimelineRow) => boolean;
}

export const TimeTravelContext = createContext<TimeTravel | null>(null);

/** The past of the session that is shown; null outside of a workbench. */
export function useTimeTravel(): TimeTravel | null {
  return useContext(TimeTravelContext);
}

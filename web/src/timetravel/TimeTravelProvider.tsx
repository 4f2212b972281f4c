import { type ReactNode, useMemo, useRef, useState } from "react";
import type { SessionDetail, TimeTravelProgress } from "../api/types";
import { formatSessionPath, route } from "../state/route";
import type { SessionStore } from "../state/sessionStore";
import { useUndoKeys } from "../ui/keyboard";
import { TimeTravelDialog } from "./TimeTravelDialog";
import {
  performTimeTravel,
  planTimeTravel,
  type TimeTravelChoice,
  type TimeTravelOutcome,
  type TimeTravelPrompt,
  watchProgress,
} from "./timeTravel";
import { type TimeTravel, TimeTravelContext } from "./timeTravelContext";
import { isUndone } from "./undoneRows";
import "./timetravel.css";

/** Undo, redo, go back and fork for everything inside, with the questions that come before. */
export function TimeTravelProvider({
  store,
  session,
  onError,
  children,
}: {
  store: SessionStore;
  session: SessionDetail;
  onError: (message: string) => void;
  children: ReactNode;
}) {
  const [isBusy, setIsBusy] = useState(false);
  const isUnderway = useRef(false);
  const [progress, setProgress] = useState<TimeTravelProgress | null>(null);
  const [question, setQuestion] = useState<TimeTravelPrompt | null>(null);
  const handle = async (outcome: Promise<TimeTravelOutcome>) => {
    if (isUnderway.current) return;
    isUnderway.current = true;
    setIsBusy(true);
    onError("");
    const stopWatching = watchProgress(session.session_id, setProgress);
    const result = await outcome;
    // Not before the session is shown as it is now: a second undo would be of what the first one has undone.
    const continued = "continued" in result ? result.continued : null;
    if (continued?.session_id === session.session_id) await store.waitForRevision(continued.revision);
    stopWatching();
    isUnderway.current = false;
    setIsBusy(false);
    setQuestion("question" in result ? result.question : null);
    if ("error" in result) onError(result.error);
    else if (continued && continued.session_id !== session.session_id) {
      route.navigate(formatSessionPath(continued.session_id));
    }
  };
  const start = (request: TimeTravelChoice) => {
    if (!isUnderway.current) void handle(planTimeTravel(session, request));
  };
  const { time_travel: past } = session;
  useUndoKeys(
    () => past.can_undo && start({ action: "undo" }),
    () => past.can_redo && start({ action: "redo" }),
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: `start` reads the session of the last render
  const timeTravel = useMemo<TimeTravel>(
    () => ({ session, isBusy, progress, start, onError, isUndone: (row) => isUndone(row, past.undone) }),
    [session, isBusy, progress],
  );
  return (
    <TimeTravelContext.Provider value={timeTravel}>
      {children}
      {question ? (
        <TimeTravelDialog
          question={question}
          isBusy={isBusy}
          progress={progress}
          onClose={() => setQuestion(null)}
          onContinue={() => void handle(performTimeTravel(session, question.request, question.kind === "difference"))}
        />
      ) : null}
    </TimeTravelContext.Provider>
  );
}

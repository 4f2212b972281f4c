import { type ReactNode, useMemo, useRef, useState } from "react";
import type { SessionDetail, TravelProgress } from "../api/types";
import { formatSessionPath, route } from "../state/route";
import type { SessionStore } from "../state/sessionStore";
import { useUndoKeys } from "../ui/keyboard";
import { TravelDialog } from "./TravelDialog";
import {
  performTravel,
  planTravel,
  type TravelOutcome,
  type TravelPrompt,
  type TravelRequest,
  watchProgress,
} from "./travel";
import { type Travel, TravelContext } from "./travelContext";
import { isUndone } from "./undoneRows";
import "./timetravel.css";

/** Undo, redo, go back and fork for everything inside, with the questions that come before. */
export function TravelProvider({
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
  const isTravelling = useRef(false);
  const [progress, setProgress] = useState<TravelProgress | null>(null);
  const [question, setQuestion] = useState<TravelPrompt | null>(null);
  const handle = async (outcome: Promise<TravelOutcome>) => {
    if (isTravelling.current) return;
    isTravelling.current = true;
    setIsBusy(true);
    onError("");
    const stopWatching = watchProgress(session.session_id, setProgress);
    const result = await outcome;
    // Not before the session is shown as it is now: a second undo would be of what the first one has undone.
    const continued = "continued" in result ? result.continued : null;
    if (continued?.session_id === session.session_id) await store.waitForRevision(continued.revision);
    stopWatching();
    isTravelling.current = false;
    setIsBusy(false);
    setQuestion("question" in result ? result.question : null);
    if ("error" in result) onError(result.error);
    else if (continued && continued.session_id !== session.session_id) {
      route.navigate(formatSessionPath(continued.session_id));
    }
  };
  const start = (request: TravelRequest) => {
    if (!isTravelling.current) void handle(planTravel(session, request));
  };
  const { time_travel: past } = session;
  useUndoKeys(
    () => past.can_undo && start({ action: "undo" }),
    () => past.can_redo && start({ action: "redo" }),
  );
  // biome-ignore lint/correctness/useExhaustiveDependencies: `start` reads the session of the last render
  const travel = useMemo<Travel>(
    () => ({ session, isBusy, progress, start, onError, isUndone: (row) => isUndone(row, past.undone) }),
    [session, isBusy, progress],
  );
  return (
    <TravelContext.Provider value={travel}>
      {children}
      {question ? (
        <TravelDialog
          question={question}
          isBusy={isBusy}
          progress={progress}
          onClose={() => setQuestion(null)}
          onContinue={() => void handle(performTravel(session, question.request, question.kind === "difference"))}
        />
      ) : null}
    </TravelContext.Provider>
  );
}

import { type ReactNode, useMemo, useRef, useState } from "react";
import type { SessionDetail, TravelProgress } from "../api/types";
import { formatSessionPath, route } from "../state/route";
import type { SessionStore } from "../state/sessionStore";
import { useUndoKeys } from "../ui/keyboard";
import { TravelDialog } from "./TravelDialog";
import { finishJourney, type Journey, type Outcome, type Question, startJourney, watchProgress } from "./travel";
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
  const isGoing = useRef(false);
  const [progress, setProgress] = useState<TravelProgress | null>(null);
  const [question, setQuestion] = useState<Question | null>(null);
  const handle = async (outcome: Promise<Outcome>) => {
    if (isGoing.current) return;
    isGoing.current = true;
    setIsBusy(true);
    onError("");
    const stopWatching = watchProgress(session.session_id, setProgress);
    const ended = await outcome;
    stopWatching();
    isGoing.current = false;
    setIsBusy(false);
    setQuestion("question" in ended ? ended.question : null);
    if ("error" in ended) onError(ended.error);
    else if ("session" in ended) {
      if (ended.session.session_id === session.session_id) store.replaceSession(ended.session);
      else route.navigate(formatSessionPath(ended.session.session_id));
    }
  };
  const start = (journey: Journey) => {
    if (!isGoing.current) void handle(startJourney(session, journey));
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
          onContinue={() => void handle(finishJourney(session, question.journey, question.kind === "difference"))}
        />
      ) : null}
    </TravelContext.Provider>
  );
}

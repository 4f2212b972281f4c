import type { TimeTravelProgress, TimeTravelRequest } from "../api/types";
import { Dialog } from "../ui/Dialog";
import { formatCount } from "../ui/format";
import { ProgressNotice } from "./ProgressNotice";
import type { TimeTravelPrompt } from "./timeTravel";

const NAMES: Record<TimeTravelRequest["action"], string> = {
  undo: "Undo",
  redo: "Redo",
  go_back: "Go back",
  fork: "Fork",
};

/** Asks before callbacks run again, and before a session continues whose replay differs from its recording. */
export function TimeTravelDialog({
  question,
  isBusy,
  progress,
  onClose,
  onContinue,
}: {
  question: TimeTravelPrompt;
  isBusy: boolean;
  progress: TimeTravelProgress | null;
  onClose: () => void;
  onContinue: () => void;
}) {
  const name = NAMES[question.request.action];
  const isDifferent = question.kind === "difference";
  return (
    <Dialog
      title={isDifferent ? "The replay differs from the recording" : `${name}: callbacks run again`}
      onClose={onClose}
      footer={
        <>
          {/* biome-ignore lint/a11y/noAutofocus: the harmless answer is the one that Enter gives */}
          <button type="button" className="button" autoFocus onClick={onClose}>
            {isDifferent ? "Leave it as it is" : "Cancel"}
          </button>
          <button type="button" className="button primary" disabled={isBusy} onClick={onContinue}>
            {isBusy ? <span className="spinner" /> : null}
            {isDifferent ? "Continue anyway" : name}
          </button>
        </>
      }
    >
      {question.kind === "difference" ? (
        <>
          <p className="time-travel-text">{question.message}</p>
          <p>Nothing was changed. If you continue, the run is recorded again as it happens now.</p>
        </>
      ) : (
        <>
          <p>
            To get there, the agent runs again with {formatCount(question.plan.replayed_turns, "recorded decision")} and{" "}
            {formatCount(question.plan.replayed_calls, "recorded result")}. No tool runs twice, but these do:
          </p>
          <ul className="time-travel-callbacks mono">
            {question.plan.callbacks.map((callback) => (
              <li key={callback}>{callback}</li>
            ))}
          </ul>
        </>
      )}
      <ProgressNotice progress={progress} />
    </Dialog>
  );
}

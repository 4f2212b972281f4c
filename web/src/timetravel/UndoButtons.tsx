import { Icon } from "../ui/Icon";
import { REDO_KEY, UNDO_KEY } from "../ui/keyboard";
import { useTimeTravel } from "./timeTravelContext";

/** Undo and redo, above the timeline. */
export function UndoButtons() {
  const timeTravel = useTimeTravel();
  if (!timeTravel) return null;
  const { time_travel: past } = timeTravel.session;
  const problem = past.rewind_problem;
  const undoable = timeTravel.session.has_world ? "decision or time that you let pass" : "decision";
  return (
    <span className="undo-buttons">
      <button
        type="button"
        className="button plain small icon-only"
        aria-label="Undo"
        title={
          problem || (past.can_undo ? `Undo the last ${undoable} (${UNDO_KEY})` : `There is no ${undoable} to undo`)
        }
        disabled={!past.can_undo || timeTravel.isBusy}
        onClick={() => timeTravel.start({ action: "undo" })}
      >
        {timeTravel.isBusy ? <span className="spinner" /> : <Icon name="undo" />}
      </button>
      <button
        type="button"
        className="button plain small icon-only"
        aria-label="Redo"
        title={problem || (past.can_redo ? `Redo what was undone (${REDO_KEY})` : "There is nothing to redo")}
        disabled={!past.can_redo || timeTravel.isBusy}
        onClick={() => timeTravel.start({ action: "redo" })}
      >
        <Icon name="redo" />
      </button>
    </span>
  );
}

import { Icon } from "../ui/Icon";
import { REDO_KEY, UNDO_KEY } from "../ui/keyboard";
import { useTravel } from "./travelContext";

/** Undo and redo, above the timeline. */
export function UndoButtons() {
  const travel = useTravel();
  if (!travel) return null;
  const { time_travel: past } = travel.session;
  const problem = past.rewind_problem;
  const undoable = travel.session.has_world ? "decision or time that you let pass" : "decision";
  return (
    <span className="undo-buttons">
      <button
        type="button"
        className="button plain small icon-only"
        aria-label="Undo"
        title={
          problem || (past.can_undo ? `Undo the last ${undoable} (${UNDO_KEY})` : `There is no ${undoable} to undo`)
        }
        disabled={!past.can_undo || travel.isBusy}
        onClick={() => travel.start({ action: "undo" })}
      >
        {travel.isBusy ? <span className="spinner" /> : <Icon name="undo" />}
      </button>
      <button
        type="button"
        className="button plain small icon-only"
        aria-label="Redo"
        title={problem || (past.can_redo ? `Redo what was undone (${REDO_KEY})` : "There is nothing to redo")}
        disabled={!past.can_redo || travel.isBusy}
        onClick={() => travel.start({ action: "redo" })}
      >
        <Icon name="redo" />
      </button>
    </span>
  );
}

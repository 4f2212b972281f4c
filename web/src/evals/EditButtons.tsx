import { api } from "../api/client";
import type { EvalEditResult, EvalFileInfo } from "../api/types";
import { Icon } from "../ui/Icon";
import { REDO_KEY, UNDO_KEY, useUndoKeys } from "../ui/keyboard";
import { useAction } from "../ui/useAction";

/** Undo and redo of the edits of a file. */
export function EditButtons({ file, onEdited }: { file: EvalFileInfo; onEdited: (result: EvalEditResult) => void }) {
  const { isBusy, error, run } = useAction();
  const undo = () => {
    if (file.undo_label && !isBusy) void run(async () => onEdited(await api.undoEvalEdit(file.key)));
  };
  const redo = () => {
    if (file.redo_label && !isBusy) void run(async () => onEdited(await api.redoEvalEdit(file.key)));
  };
  useUndoKeys(undo, redo);
  if (!file.is_editable) return null;
  return (
    <span className="undo-buttons">
      {error ? <span className="ev-problem">{error.message}</span> : null}
      <button
        type="button"
        className="button plain small icon-only"
        aria-label="Undo"
        title={file.undo_label ? `Undo: ${file.undo_label} (${UNDO_KEY})` : "There is nothing to undo"}
        disabled={!file.undo_label || isBusy}
        onClick={undo}
      >
        <Icon name="undo" />
      </button>
      <button
        type="button"
        className="button plain small icon-only"
        aria-label="Redo"
        title={file.redo_label ? `Redo: ${file.redo_label} (${REDO_KEY})` : "There is nothing to redo"}
        disabled={!file.redo_label || isBusy}
        onClick={redo}
      >
        <Icon name="redo" />
      </button>
    </span>
  );
}

import { useState } from "react";
import { api } from "../api/client";
import type { EvalCaseInfo, EvalEditResult } from "../api/types";
import { Dialog } from "../ui/Dialog";
import { ErrorAlert } from "../ui/ErrorAlert";
import { Icon } from "../ui/Icon";
import { Menu, MenuItem } from "../ui/Menu";
import { RenameDialog } from "../ui/RenameDialog";
import { useAction } from "../ui/useAction";

/** Rename, duplicate, move and delete a case. What is deleted can be undone, so it is not asked for. */
export function CaseMenu({
  fileKey,
  evalCase,
  neighbours,
  hasDraft = false,
  onEdited,
}: {
  fileKey: string;
  evalCase: EvalCaseInfo;
  /** The cases of the file, to move between. */
  neighbours: readonly EvalCaseInfo[];
  /** Whether corrections of the case are not saved. */
  hasDraft?: boolean;
  onEdited: (result: EvalEditResult) => void;
}) {
  const [isRenaming, setRenaming] = useState(false);
  const { error, run, clearError } = useAction();
  const edit = (work: () => Promise<EvalEditResult>) => run(async () => onEdited(await work()));
  const place = neighbours.findIndex((neighbour) => neighbour.key === evalCase.key);
  const draftNote = hasDraft ? "Save or discard your corrections first." : "";
  return (
    <>
      <Menu
        isFloating
        className="button plain small icon-only"
        title="Actions"
        label={
          <>
            <Icon name="more" />
            <span className="sr-only">Actions for {evalCase.eval_id}</span>
          </>
        }
      >
        {(close) => {
          const start = (work: () => Promise<EvalEditResult>) => () => {
            close();
            void edit(work);
          };
          return (
            <>
              <MenuItem
                disabled={hasDraft}
                note={draftNote}
                onClick={() => {
                  close();
                  setRenaming(true);
                }}
              >
                Rename…
              </MenuItem>
              <MenuItem onClick={start(() => api.duplicateEvalCase(fileKey, evalCase.key))}>Duplicate</MenuItem>
              <MenuItem
                disabled={place <= 0}
                onClick={start(() => api.moveEvalCase(fileKey, evalCase.key, neighbours[place - 2]?.key ?? null))}
              >
                Move up
              </MenuItem>
              <MenuItem
                disabled={place < 0 || place === neighbours.length - 1}
                onClick={start(() => api.moveEvalCase(fileKey, evalCase.key, neighbours[place + 1]?.key ?? null))}
              >
                Move down
              </MenuItem>
              <MenuItem
                disabled={hasDraft}
                note={draftNote || "It can be undone."}
                onClick={start(() => api.deleteEvalCase(fileKey, evalCase.key, evalCase.fingerprint))}
              >
                Delete
              </MenuItem>
            </>
          );
        }}
      </Menu>
      {error && !isRenaming ? (
        <Dialog title="Nothing was changed" onClose={clearError}>
          <ErrorAlert title={error.message} />
        </Dialog>
      ) : null}
      {isRenaming ? (
        <RenameDialog
          title="Rename the case"
          label="Id of the case"
          name={evalCase.eval_id}
          maxLength={300}
          error={error?.message ?? ""}
          onClose={() => {
            setRenaming(false);
            clearError();
          }}
          onRename={async (evalId) => {
            if (await edit(() => api.renameEvalCase(fileKey, evalCase.key, evalId))) setRenaming(false);
          }}
        />
      ) : null}
    </>
  );
}

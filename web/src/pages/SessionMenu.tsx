import { useState } from "react";
import { api, getErrorMessage } from "../api/client";
import type { SessionRecord } from "../api/types";
import type { ListChange } from "../state/pagedList";
import type { SessionList } from "../state/sessionList";
import { isClosed } from "../state/sessionStatus";
import { Dialog } from "../ui/Dialog";
import { ErrorAlert } from "../ui/ErrorAlert";
import { Icon } from "../ui/Icon";
import { Menu, MenuItem } from "../ui/Menu";
import { RenameDialog } from "../ui/RenameDialog";

type OpenDialog = "rename" | "delete" | null;

/** Rename, close and delete. */
export function SessionMenu({ session, list }: { session: SessionRecord; list: SessionList }) {
  const [dialog, setDialog] = useState<OpenDialog>(null);
  const [error, setError] = useState("");
  const run = async (work: () => Promise<ListChange>) => {
    try {
      const change = await work();
      // Another dialog may have been opened since.
      setDialog((now) => (now === dialog ? null : now));
      setError("");
      list.applyChange(change);
    } catch (error) {
      setError(getErrorMessage(error));
    }
  };
  const closeDialog = () => {
    setDialog(null);
    setError("");
  };
  return (
    <>
      <Menu
        placement="end"
        className="button plain small icon-only"
        title="Actions"
        label={
          <>
            <Icon name="more" />
            <span className="sr-only">Actions for {session.name}</span>
          </>
        }
      >
        {(close) => (
          <>
            <MenuItem
              onClick={() => {
                close();
                setDialog("rename");
              }}
            >
              Rename
            </MenuItem>
            <MenuItem
              note="It can be read and exported; nothing can be added."
              disabled={isClosed(session.status)}
              onClick={() => {
                close();
                void run(() => changeSession(api.closeSession(session.session_id)));
              }}
            >
              Close session
            </MenuItem>
            <MenuItem
              note="With all its events."
              onClick={() => {
                close();
                setDialog("delete");
              }}
            >
              Delete…
            </MenuItem>
          </>
        )}
      </Menu>
      {error && !dialog ? <ErrorAlert title={error} /> : null}
      {dialog === "rename" ? (
        <RenameDialog
          title="Rename the session"
          label="Name of the session"
          name={session.name}
          maxLength={200}
          error={error}
          onClose={closeDialog}
          onRename={(name) => void run(() => changeSession(api.renameSession(session.session_id, name)))}
        />
      ) : null}
      {dialog === "delete" ? (
        <Dialog
          title="Delete this session?"
          onClose={closeDialog}
          footer={
            <>
              <button type="button" className="button" onClick={closeDialog}>
                Keep it
              </button>
              <button
                type="button"
                className="button danger"
                onClick={() => void run(() => deleteSession(session.session_id))}
              >
                Delete
              </button>
            </>
          }
        >
          <p>
            “{session.name}” of {session.agent_label} and all that happened in it. What was exported stays; the session
            cannot be brought back.
          </p>
          {error ? <ErrorAlert title={error} /> : null}
        </Dialog>
      ) : null}
    </>
  );
}

/** What the session is after the change arrives as a live update. */
async function changeSession(change: Promise<unknown>): Promise<ListChange> {
  await change;
  return { sessions: [], deleted: [] };
}

async function deleteSession(sessionId: string): Promise<ListChange> {
  await api.deleteSession(sessionId);
  return { sessions: [], deleted: [sessionId] };
}

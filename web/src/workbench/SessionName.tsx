import { useState } from "react";
import { api, getErrorMessage } from "../api/client";
import type { SessionRecord } from "../api/types";
import { focusComposerIfLost } from "../ui/focus";
import { Icon } from "../ui/Icon";
import { isPlainEnter } from "../ui/keyboard";

/** The name of the session, which is edited in place. */
export function SessionName({ session, onError }: { session: SessionRecord; onError: (message: string) => void }) {
  const [isEditing, setIsEditing] = useState(false);
  const stopEditing = () => {
    setIsEditing(false);
    window.setTimeout(focusComposerIfLost);
  };
  const save = (name: string) => {
    stopEditing();
    if (name.trim() && name.trim() !== session.name) {
      api.renameSession(session.session_id, name.trim()).catch((error: unknown) => onError(getErrorMessage(error)));
    }
  };
  if (!isEditing) {
    return (
      <button
        type="button"
        className="button plain session-name"
        title="Rename the session"
        onClick={() => setIsEditing(true)}
      >
        <span>{session.name}</span>
        <Icon name="edit" />
      </button>
    );
  }
  return (
    <input
      className="input session-input"
      aria-label="Name of the session"
      defaultValue={session.name}
      maxLength={200}
      // biome-ignore lint/a11y/noAutofocus: the user has just clicked to edit the name
      autoFocus
      onFocus={(event) => event.target.select()}
      onBlur={(event) => save(event.target.value)}
      onKeyDown={(event) => {
        if (isPlainEnter(event)) save(event.currentTarget.value);
        if (event.key === "Escape") {
          event.preventDefault();
          stopEditing();
        }
      }}
    />
  );
}

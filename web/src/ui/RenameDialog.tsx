import { useState } from "react";
import { Dialog } from "./Dialog";
import { ErrorAlert } from "./ErrorAlert";
import { isPlainEnter } from "./keyboard";

/** Asks for another name. It stays open until its owner closes it, so that a rejected name can be corrected. */
export function RenameDialog({
  title,
  label,
  name: initialName,
  maxLength,
  error,
  onClose,
  onRename,
}: {
  title: string;
  label: string;
  name: string;
  maxLength: number;
  /** Why the last name was rejected; empty if it was not. */
  error: string;
  onClose: () => void;
  onRename: (name: string) => void;
}) {
  const [name, setName] = useState(initialName);
  const save = () => {
    if (name.trim()) onRename(name.trim());
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <button type="button" className="button primary" disabled={!name.trim()} onClick={save}>
          Rename
        </button>
      }
    >
      <input
        className="input"
        aria-label={label}
        value={name}
        maxLength={maxLength}
        onChange={(event) => setName(event.target.value)}
        onKeyDown={(event) => {
          if (isPlainEnter(event)) save();
        }}
      />
      {error ? <ErrorAlert title={error} /> : null}
    </Dialog>
  );
}

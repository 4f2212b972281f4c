import { type KeyboardEvent, useLayoutEffect, useRef } from "react";
import type { TimelineRow } from "../api/types";
import { ErrorAlert } from "../ui/ErrorAlert";
import { Icon } from "../ui/Icon";
import { SEND_KEY } from "../ui/keyboard";
import type { Note } from "./noteDraft";

const MAX_CHARS = 4000;

/** Names the row of a button or a field for a screen reader. */
function formatPlace(row: TimelineRow): string {
  return `${row.subject || row.kind}, row ${row.index + 1}`;
}

/** The action that opens the editor of a row's note. */
export function NoteButton({ row, note, label = "Note" }: { row: TimelineRow; note: Note; label?: string }) {
  return (
    <button
      type="button"
      className="button plain small"
      title={`${note.note || note.hasUnsaved ? "Edit the note" : "Write a note"} on this row; no golden trace has it (N)`}
      aria-label={`${label}: ${formatPlace(row)}`}
      onClick={() => note.open()}
    >
      <Icon name="edit" />
      {label}
    </button>
  );
}

/** In the line of a row: that it has a note. */
export function NoteMark({ note }: { note: Note }) {
  if (!note.note && !note.hasUnsaved) return null;
  const label = note.hasUnsaved ? "note not saved" : "note";
  return (
    <span className="row-noted" title={note.hasUnsaved ? "A note on this row is not saved" : note.note}>
      <Icon name="edit" />
      {label}
    </span>
  );
}

/** Below the line of a row: the editor of its note, or the note while the row is expanded. */
export function RowNote({ row, note, isExpanded }: { row: TimelineRow; note: Note; isExpanded: boolean }) {
  if (note.isOpen) return <NoteEditor row={row} note={note} />;
  if (!isExpanded) return null;
  return (
    <section className={note.note ? "value row-note" : "value row-note row-note-missing"}>
      <header>
        <h3>note</h3>
        <span className="grow" />
        <NoteButton row={row} note={note} label={note.note ? "Edit note" : "Note"} />
      </header>
      {note.note ? <p className="row-note-text">{note.note}</p> : null}
    </section>
  );
}

function NoteEditor({ row, note }: { row: TimelineRow; note: Note }) {
  const field = useRef<HTMLTextAreaElement>(null);
  const { wantsFocus } = note;
  useLayoutEffect(() => {
    if (!wantsFocus.current || !field.current) return;
    wantsFocus.current = false;
    field.current.focus();
    field.current.setSelectionRange(field.current.value.length, field.current.value.length);
  }, [wantsFocus]);
  const save = () => {
    if (!note.isBusy) void note.save(note.text);
  };
  const handleKey = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const isSend = event.key === "Enter" && (event.ctrlKey || event.metaKey);
    if (!isSend && event.key !== "Escape") return;
    // Otherwise it would send what is in the composer, or go back a step there.
    event.preventDefault();
    if (isSend) save();
    else note.close();
  };
  return (
    <div className="row-note" ref={note.editor}>
      <textarea
        ref={field}
        className="input"
        rows={2}
        maxLength={MAX_CHARS}
        aria-label={`Note on ${formatPlace(row)}`}
        placeholder="A note for people; no golden trace has it"
        value={note.text}
        onChange={(event) => note.type(event.target.value)}
        onKeyDown={handleKey}
      />
      <div className="row-note-buttons">
        <button type="button" className="button small primary" disabled={note.isBusy} onClick={save}>
          Save <kbd>{SEND_KEY}</kbd>
        </button>
        <button type="button" className="button plain small" onClick={note.close}>
          Close <kbd>Esc</kbd>
        </button>
        {note.text.trim() !== note.note ? (
          <button type="button" className="button plain small" disabled={note.isBusy} onClick={note.discard}>
            Discard
          </button>
        ) : null}
        {note.note ? (
          <button
            type="button"
            className="button plain small"
            disabled={note.isBusy}
            onClick={() => void note.save("")}
          >
            Remove note
          </button>
        ) : null}
      </div>
      {note.error ? <ErrorAlert title={note.error} /> : null}
    </div>
  );
}

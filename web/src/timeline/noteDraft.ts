import { type FocusEvent, type KeyboardEvent, useEffect, useRef, useState } from "react";
import { api } from "../api/client";
import type { TimelineRow } from "../api/types";
import { removeStored, useStoredState } from "../state/storedState";
import { focusComposer, isTypingOutside } from "../ui/focus";
import { useAction } from "../ui/useAction";

/** A note that is being written: it survives live updates, scrolling and a reload. */
export interface NoteDraft {
  text: string;
  /** Whether it is shown; a draft that was put away with Escape opens again where it was. */
  isOpen: boolean;
}

/** Returns the draft with which the editor opens: the one that was put away, else the note of the row. */
export function openDraft(draft: NoteDraft | null, note: string): NoteDraft {
  return { text: draft?.text ?? note, isOpen: true };
}

/** Returns what is left when the editor closes: nothing, unless something was typed that is not saved. */
export function closeDraft(draft: NoteDraft | null, note: string): NoteDraft | null {
  return draft && draft.text.trim() !== note ? { ...draft, isOpen: false } : null;
}

/** Whether a key opens the editor of the row that has the focus: a letter alone, and nothing that is held down. */
export function isNoteKey(event: Pick<KeyboardEvent, "key" | "ctrlKey" | "metaKey" | "altKey" | "repeat">): boolean {
  return event.key === "n" && !(event.ctrlKey || event.metaKey || event.altKey || event.repeat);
}

/** The note of a row: what is typed, and how it is opened, closed and saved. `onResize` is called before it grows. */
export function useNote(sessionId: string, row: TimelineRow, onResize: () => void) {
  const key = `note:${sessionId}:${row.index}`;
  const [draft, setDraft] = useStoredState<NoteDraft | null>(key, null);
  /** What the server has, until the live update says the same. */
  const [saved, setSaved] = useState<{ text: string; seq: number } | null>(null);
  const { isBusy, error, run, clearError } = useAction();
  const line = useRef<HTMLButtonElement>(null);
  const editor = useRef<HTMLDivElement>(null);
  /** Whether the next editor that appears takes the focus: not one that scrolls into view. */
  const wantsFocus = useRef(false);
  /** Letters are commands only on a row that the keyboard moved to; after a click, they are text for the composer. */
  const hasKeyboardFocus = useRef(false);
  const wasOpenedByKey = useRef(false);
  const note = saved && saved.seq > row.updated_seq ? saved.text : row.note;

  const hadDraft = useRef(false);
  useEffect(() => {
    if (!draft && hadDraft.current) removeStored(key);
    hadDraft.current = draft !== null;
  }, [draft, key]);
  const open = (byKey = false) => {
    onResize();
    wantsFocus.current = true;
    wasOpenedByKey.current = byKey;
    setDraft(openDraft(draft, note));
  };
  const returnFocus = () => (wasOpenedByKey.current ? line.current?.focus() : focusComposer());
  const finish = (left: NoteDraft | null) => {
    onResize();
    clearError();
    setDraft(left);
    returnFocus();
  };
  const latest = useRef(draft);
  latest.current = draft;
  const save = async (text: string) => {
    const sent = draft;
    const isSaved = await run(async () => {
      if (text.trim() === note) return;
      const { revision } = await api.noteRow(sessionId, row.index, text);
      setSaved({ text: text.trim(), seq: revision });
    });
    // What was typed while it was saved is not saved, and the person may have gone on elsewhere.
    if (!isSaved || latest.current?.text !== sent?.text) return;
    if (latest.current?.isOpen && !isTypingOutside(editor.current)) finish(null);
    else setDraft(null);
  };
  return {
    note,
    text: draft?.text ?? "",
    isOpen: draft?.isOpen ?? false,
    hasUnsaved: draft !== null && !draft.isOpen,
    isBusy,
    error: error?.message ?? "",
    wantsFocus,
    editor,
    type: (text: string) => setDraft({ text, isOpen: true }),
    open,
    /** Puts the editor away; what was typed is kept. */
    close: () => finish(closeDraft(draft, note)),
    discard: () => finish(null),
    save,
    lineProps: {
      ref: line,
      onFocus: (event: FocusEvent<HTMLButtonElement>) => {
        hasKeyboardFocus.current = event.currentTarget.matches(":focus-visible");
      },
      onKeyDown: (event: KeyboardEvent) => {
        if (!hasKeyboardFocus.current || !isNoteKey(event) || event.nativeEvent.isComposing) return;
        event.preventDefault();
        open(true);
      },
    },
  };
}

export type Note = ReturnType<typeof useNote>;

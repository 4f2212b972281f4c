import { type KeyboardEvent as FieldKeyEvent, useLayoutEffect, useRef } from "react";
import { focusComposer, isDialogOpen, isTextField } from "./focus";

const APPLE = /mac|iphone|ipad/i.test(navigator.platform);

/** The label of a command's keys on this platform. */
export function formatCommand(key: string): string {
  return APPLE ? `⌘${key}` : `Ctrl ${key}`;
}

export const SEND_KEY = formatCommand("⏎");

/**
 * The keys of the commands. Letters alone are never commands: they are text, wherever the focus is. The only exception
 * is `n` on a row of the timeline that the keyboard moved to, which opens its note.
 */
export const COMMANDS = { switchMode: ".", find: "k", panel: "b", density: "d", help: "/" } as const;
export const UNDO_KEY = formatCommand("Z");
export const REDO_KEY = formatCommand(APPLE ? "⇧Z" : "Shift Z");
export type CommandKey = (typeof COMMANDS)[keyof typeof COMMANDS] | "Enter";

/** Whether a key in a field is Enter alone, and does not just end the composition of a word by an input method. */
export function isPlainEnter(event: FieldKeyEvent): boolean {
  return event.key === "Enter" && !event.ctrlKey && !event.metaKey && !event.nativeEvent.isComposing;
}

/** Listens to the keys of the page, except while a dialog is open. */
function useKeyDown(handle: (event: KeyboardEvent) => void, isFirst = false): void {
  const latest = useRef(handle);
  latest.current = handle;
  // Before the page is painted: whoever sees it may press a key at once.
  useLayoutEffect(() => {
    const handleKey = (event: KeyboardEvent) => {
      if (!event.defaultPrevented && !event.isComposing && !isDialogOpen()) latest.current(event);
    };
    document.addEventListener("keydown", handleKey, isFirst);
    return () => document.removeEventListener("keydown", handleKey, isFirst);
  }, [isFirst]);
}

/** Handles Ctrl (on a Mac, Cmd) with a key, wherever the focus is. A key that is held down counts once. */
export function useCommand(key: CommandKey, run: () => void): void {
  useKeyDown((event) => {
    const isCommand = (event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey;
    if (!isCommand || event.key !== key) return;
    event.preventDefault();
    if (!event.repeat) run();
  });
}

/** Handles Ctrl+Z and Ctrl+Shift+Z while nothing is typed into: fields have an undo of their own. */
export function useUndoKeys(undo: () => void, redo: () => void): void {
  useKeyDown((event) => {
    const isCommand = (event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === "z";
    if (!isCommand || isTextField(event.target)) return;
    event.preventDefault();
    if (!event.repeat) (event.shiftKey ? redo : undo)();
  });
}

/** Handles Ctrl+Enter wherever the focus is. */
export function useSendKey(send: () => void): void {
  useCommand("Enter", send);
}

/** Handles `/` while nothing is typed into; where there is no composer, it goes to the search of the page. */
export function useSlashKey(run: () => void): void {
  useKeyDown((event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || isTextField(event.target)) return;
    event.preventDefault();
    run();
  });
}

/** Handles Escape, unless an open menu does; `run` returns whether there was a step to go back. */
export function useEscapeKey(run: (target: EventTarget | null) => boolean, isFirst = false): void {
  useKeyDown((event) => {
    if (event.key !== "Escape" || document.querySelector("[role=menu]")) return;
    if (run(event.target)) event.preventDefault();
  }, isFirst);
}

/** Sends text that is typed while no field has the focus to the composer, instead of losing it. */
export function useTypingInComposer(): void {
  useKeyDown((event) => {
    // Space presses the focused button. Fields, and menus with their own keys, keep what is typed into them.
    const isText = event.key.length === 1 && event.key !== " " && !event.ctrlKey && !event.metaKey && !event.altKey;
    const { target } = event;
    if (!isText || !(target instanceof HTMLElement) || target.matches("input, textarea, select, [contenteditable]"))
      return;
    if (!target.closest("[role=menu]")) focusComposer();
  });
}

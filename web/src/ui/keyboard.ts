import { useEffect, useRef } from "react";

const APPLE = /mac|iphone|ipad/i.test(navigator.platform);

/** The label of the send key on this platform. */
export const SEND_KEY = APPLE ? "⌘⏎" : "Ctrl ⏎";

function isSendKey(event: { key: string; ctrlKey: boolean; metaKey: boolean }): boolean {
  return event.key === "Enter" && (event.ctrlKey || event.metaKey);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]");
}

/** Single-key shortcuts, inactive while typing and while a dialog is open. */
export function useShortcuts(shortcuts: Record<string, () => void>): void {
  useEffect(() => {
    const handleKey = (event: KeyboardEvent) => {
      if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
      if (document.querySelector("dialog[open]")) return;
      const shortcut = shortcuts[event.key];
      if (!shortcut) return;
      event.preventDefault();
      shortcut();
    };
    document.addEventListener("keydown", handleKey);
    return () => document.removeEventListener("keydown", handleKey);
  });
}

/** Handles Ctrl+Enter wherever the focus is, unless a dialog is open. */
export function useSendKey(send: () => void): void {
  const latest = useRef(send);
  latest.current = send;
  useEffect(() => {
    const handleKey = (event: KeyboardEvent) => {
      if (!isSendKey(event) || event.defaultPrevented || document.querySelector("dialog[open]")) return;
      event.preventDefault();
      latest.current();
    };
    document.addEventListener("keydown", handleKey);
    return () => document.removeEventListener("keydown", handleKey);
  }, []);
}

/** Focus the element with this `data-shortcut`. */
export function focusShortcut(name: string): void {
  document.querySelector<HTMLElement>(`[data-shortcut="${name}"]`)?.focus();
}

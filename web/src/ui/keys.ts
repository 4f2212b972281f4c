import { useEffect, useRef } from "react";

const APPLE = /mac|iphone|ipad/i.test(navigator.platform);

/** How the key that sends is written on this machine. */
export const SEND_KEY = APPLE ? "⌘⏎" : "Ctrl ⏎";

function isSend(event: { key: string; ctrlKey: boolean; metaKey: boolean }): boolean {
  return event.key === "Enter" && (event.ctrlKey || event.metaKey);
}

function isTyping(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && target.matches("input, textarea, select, [contenteditable]");
}

/** Single keys that work while nobody types and no dialog is open. */
export function useShortcuts(shortcuts: Record<string, () => void>): void {
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (isTyping(event.target) || event.ctrlKey || event.metaKey || event.altKey) return;
      if (document.querySelector("dialog[open]")) return;
      const shortcut = shortcuts[event.key];
      if (!shortcut) return;
      event.preventDefault();
      shortcut();
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  });
}

/** What Ctrl+Enter does, wherever the focus is, unless a dialog is open. */
export function useSendKey(send: () => void): void {
  const latest = useRef(send);
  latest.current = send;
  useEffect(() => {
    const pressed = (event: KeyboardEvent) => {
      if (!isSend(event) || event.defaultPrevented || document.querySelector("dialog[open]")) return;
      event.preventDefault();
      latest.current();
    };
    document.addEventListener("keydown", pressed);
    return () => document.removeEventListener("keydown", pressed);
  }, []);
}

/** Put the focus on what carries `data-shortcut`. */
export function focusOn(name: string): void {
  document.querySelector<HTMLElement>(`[data-shortcut="${name}"]`)?.focus();
}

import { type RefObject, useEffect, useRef, useState } from "react";
import { focusFirstField, isTypingOutside, typeInto, typeIntoFocused } from "../ui/focus";

/**
 * What the next focus is for: a field to type a text into, the first field, wherever the focus is now, or the first
 * field if a person does not type elsewhere.
 */
type FocusTarget = { fieldId: string; text: string } | "first" | "free";

/** What was typed before there was a field for it. */
export interface BufferedInput {
  text: string;
  clear: () => void;
}

/**
 * Focuses the first field of an editor whenever the editor becomes another one, which its `key` tells. Text that is
 * typed into a field outside the composer is not interrupted. The returned function focuses after the next render.
 * Text that was typed while there was no field is continued in the first one.
 */
export function useFirstFieldFocus(
  frame: RefObject<HTMLElement | null>,
  key: string,
  bufferedInput?: BufferedInput,
): (target?: FocusTarget) => void {
  const [requestCount, setRequestCount] = useState(0);
  const target = useRef<FocusTarget | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it focuses when the editor changes, and on request
  useEffect(() => {
    const focusTarget = target.current;
    target.current = null;
    if (typeof focusTarget === "object" && focusTarget && typeInto(focusTarget.fieldId, focusTarget.text)) return;
    const isRequested = focusTarget !== null && focusTarget !== "free";
    if (isRequested || !isTypingOutside(frame.current)) focusFirstField(frame.current);
    if (bufferedInput?.text && typeIntoFocused(frame.current, bufferedInput.text)) bufferedInput.clear();
  }, [key, requestCount]);
  return (wanted = "first") => {
    target.current = wanted;
    setRequestCount((count) => count + 1);
  };
}

import { type RefObject, useEffect, useRef, useState } from "react";
import { focusFirstField, isTypingOutside, typeInto } from "../ui/focus";

/** What the next focus is for: a field to type a text into, or the first field, wherever the focus is now. */
type FocusTarget = { fieldId: string; text: string } | "first";

/**
 * Focuses the first field of an editor whenever the editor becomes another one, which its `key` tells. Text that is
 * typed into a field outside the composer is not interrupted. The returned function focuses after the next render.
 */
export function useFirstFieldFocus(frame: RefObject<HTMLElement | null>, key: string): (target?: FocusTarget) => void {
  const [requestCount, setRequestCount] = useState(0);
  const target = useRef<FocusTarget | null>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: it focuses when the editor changes, and on request
  useEffect(() => {
    const wanted = target.current;
    target.current = null;
    if (wanted && wanted !== "first" && typeInto(wanted.fieldId, wanted.text)) return;
    if (wanted || !isTypingOutside(frame.current)) focusFirstField(frame.current);
  }, [key, requestCount]);
  return (wanted = "first") => {
    target.current = wanted;
    setRequestCount((count) => count + 1);
  };
}

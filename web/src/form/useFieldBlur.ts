import { useEffect, useRef } from "react";

/**
 * Reports fields that lost focus, but never while the pointer is down: problems that appear would move the button
 * away from under the pointer.
 */
export function useFieldBlur(onBlur: (keys: readonly string[]) => void): (keys: readonly string[]) => void {
  const isDown = useRef(false);
  const pending = useRef<readonly string[] | null>(null);
  const latest = useRef(onBlur);
  latest.current = onBlur;

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const handlePointerDown = () => {
      isDown.current = true;
    };
    const handlePointerUp = () => {
      isDown.current = false;
      timer = setTimeout(() => {
        const keys = pending.current;
        pending.current = null;
        if (keys !== null) {
          latest.current(keys);
        }
      });
    };
    document.addEventListener("pointerdown", handlePointerDown, true);
    document.addEventListener("pointerup", handlePointerUp, true);
    document.addEventListener("pointercancel", handlePointerUp, true);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("pointerdown", handlePointerDown, true);
      document.removeEventListener("pointerup", handlePointerUp, true);
      document.removeEventListener("pointercancel", handlePointerUp, true);
    };
  }, []);

  return (keys) => {
    if (isDown.current) {
      pending.current = [...(pending.current ?? []), ...keys];
    } else {
      latest.current(keys);
    }
  };
}

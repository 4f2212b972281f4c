import { useEffect, useRef } from "react";

/**
 * Tells of places that were left, but never while the pointer is down: what then appears would move the button that is
 * being pressed away from under the pointer.
 */
export function useLeaving(tell: (places: readonly string[]) => void): (places: readonly string[]) => void {
  const isDown = useRef(false);
  const waiting = useRef<readonly string[] | null>(null);
  const latest = useRef(tell);
  latest.current = tell;

  useEffect(() => {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const down = () => {
      isDown.current = true;
    };
    const up = () => {
      isDown.current = false;
      timer = setTimeout(() => {
        const places = waiting.current;
        waiting.current = null;
        if (places !== null) {
          latest.current(places);
        }
      });
    };
    document.addEventListener("pointerdown", down, true);
    document.addEventListener("pointerup", up, true);
    document.addEventListener("pointercancel", up, true);
    return () => {
      clearTimeout(timer);
      document.removeEventListener("pointerdown", down, true);
      document.removeEventListener("pointerup", up, true);
      document.removeEventListener("pointercancel", up, true);
    };
  }, []);

  return (places) => {
    if (isDown.current) {
      waiting.current = [...(waiting.current ?? []), ...places];
    } else {
      latest.current(places);
    }
  };
}

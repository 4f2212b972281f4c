import type { MouseEvent } from "react";

/**
 * A click handler that counts a double click once. The second click would press whatever the first one has put under
 * the pointer, such as the button that sends the next message.
 */
export function ignoreDoubleClick(run: () => void): (event: MouseEvent) => void {
  return (event) => {
    if (event.detail <= 1) run();
  };
}

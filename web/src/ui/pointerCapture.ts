/** What a press acts on. */
const PRESSED =
  "button, a[href], summary, input[type=radio], input[type=checkbox], label, [role=option], [role=menuitem], [role=tab]";

/** How far a pointer may move during a press, in pixels, before it counts as leaving. */
const MAX_MOVE = 8;

/**
 * Lets a press act on what it began on, although the page moves it before the button of the mouse is up: a row arrives,
 * or something above is loaded. Moving the pointer away still cancels the press.
 */
export function capturePointerOnPress(): void {
  document.addEventListener("pointerdown", capturePointer, { capture: true });
}

function capturePointer(down: PointerEvent): void {
  // What a script dispatches has no pointer that could be captured.
  const isPress = down.isTrusted && down.button === 0;
  const pressed = isPress && down.target instanceof Element ? down.target.closest(PRESSED) : null;
  // Within the label of a text field the pointer selects text.
  if (!pressed || pressed.querySelector("input:not([type=radio], [type=checkbox]), textarea, select")) return;
  pressed.setPointerCapture(down.pointerId);
  const stop = new AbortController();
  const releaseWhenMoved = (move: Event) => {
    if (!(move instanceof PointerEvent) || move.pointerId !== down.pointerId) return;
    if (Math.hypot(move.clientX - down.clientX, move.clientY - down.clientY) <= MAX_MOVE) return;
    pressed.releasePointerCapture(move.pointerId);
  };
  pressed.addEventListener("pointermove", releaseWhenMoved, { signal: stop.signal });
  pressed.addEventListener("lostpointercapture", () => stop.abort(), { signal: stop.signal });
}

import type { KeyboardEvent, PointerEvent } from "react";

/** The line between two panes; drag it, or move it with the arrow keys. */
export function Splitter({
  label,
  width,
  measure = () => width,
  min,
  max,
  side,
  onWidth,
}: {
  label: string;
  width: number;
  /** Returns the width on the screen, if that may be another one. */
  measure?: () => number;
  min: number;
  max: number;
  /** On which side of the splitter the resized pane is; below it, the height is resized. */
  side: "left" | "right" | "below";
  onWidth: (width: number) => void;
}) {
  const sign = side === "left" ? 1 : -1;
  const isHorizontal = side === "below";
  const readCoordinate = (event: { clientX: number; clientY: number }) =>
    isHorizontal ? event.clientY : event.clientX;
  const setWidth = (next: number) => onWidth(Math.round(Math.min(max, Math.max(min, next))));
  const startDrag = (event: PointerEvent<HTMLHRElement>) => {
    const line = event.currentTarget;
    const start = readCoordinate(event);
    const startWidth = measure();
    line.setPointerCapture(event.pointerId);
    const move = (moved: globalThis.PointerEvent) => setWidth(startWidth + sign * (readCoordinate(moved) - start));
    const end = () => {
      line.removeEventListener("pointermove", move);
      line.removeEventListener("pointerup", end);
    };
    line.addEventListener("pointermove", move);
    line.addEventListener("pointerup", end);
  };
  const handleKey = (event: KeyboardEvent) => {
    if (event.key === (isHorizontal ? "ArrowUp" : "ArrowLeft")) setWidth(measure() - sign * 16);
    if (event.key === (isHorizontal ? "ArrowDown" : "ArrowRight")) setWidth(measure() + sign * 16);
  };
  return (
    <hr
      className={isHorizontal ? "splitter flat" : "splitter"}
      aria-label={label}
      aria-orientation={isHorizontal ? "horizontal" : "vertical"}
      aria-valuenow={width}
      aria-valuemin={min}
      aria-valuemax={max}
      tabIndex={0}
      onPointerDown={startDrag}
      onKeyDown={handleKey}
    />
  );
}

import type { KeyboardEvent, PointerEvent } from "react";

/** The line between two panes; drag it, or move it with the arrow keys. */
export function Splitter({
  label,
  width,
  min,
  max,
  side,
  onWidth,
}: {
  label: string;
  width: number;
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
    line.setPointerCapture(event.pointerId);
    const move = (moved: globalThis.PointerEvent) => setWidth(width + sign * (readCoordinate(moved) - start));
    const end = () => {
      line.removeEventListener("pointermove", move);
      line.removeEventListener("pointerup", end);
    };
    line.addEventListener("pointermove", move);
    line.addEventListener("pointerup", end);
  };
  const handleKey = (event: KeyboardEvent) => {
    if (event.key === (isHorizontal ? "ArrowUp" : "ArrowLeft")) setWidth(width - sign * 16);
    if (event.key === (isHorizontal ? "ArrowDown" : "ArrowRight")) setWidth(width + sign * 16);
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

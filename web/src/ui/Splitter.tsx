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
  /** On which side of the line the pane is whose width it sets; below it, its height. */
  side: "left" | "right" | "below";
  onWidth: (width: number) => void;
}) {
  const sign = side === "left" ? 1 : -1;
  const flat = side === "below";
  const along = (event: { clientX: number; clientY: number }) => (flat ? event.clientY : event.clientX);
  const set = (next: number) => onWidth(Math.round(Math.min(max, Math.max(min, next))));
  const drag = (event: PointerEvent<HTMLHRElement>) => {
    const line = event.currentTarget;
    const start = along(event);
    line.setPointerCapture(event.pointerId);
    const move = (moved: globalThis.PointerEvent) => set(width + sign * (along(moved) - start));
    const end = () => {
      line.removeEventListener("pointermove", move);
      line.removeEventListener("pointerup", end);
    };
    line.addEventListener("pointermove", move);
    line.addEventListener("pointerup", end);
  };
  const key = (event: KeyboardEvent) => {
    if (event.key === (flat ? "ArrowUp" : "ArrowLeft")) set(width - sign * 16);
    if (event.key === (flat ? "ArrowDown" : "ArrowRight")) set(width + sign * 16);
  };
  return (
    <hr
      className={flat ? "splitter flat" : "splitter"}
      aria-label={label}
      aria-orientation={flat ? "horizontal" : "vertical"}
      aria-valuenow={width}
      aria-valuemin={min}
      aria-valuemax={max}
      tabIndex={0}
      onPointerDown={drag}
      onKeyDown={key}
    />
  );
}

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
  /** On which side of the line the pane is whose width it sets. */
  side: "left" | "right";
  onWidth: (width: number) => void;
}) {
  const sign = side === "left" ? 1 : -1;
  const set = (next: number) => onWidth(Math.round(Math.min(max, Math.max(min, next))));
  const drag = (event: PointerEvent<HTMLHRElement>) => {
    const line = event.currentTarget;
    const start = event.clientX;
    line.setPointerCapture(event.pointerId);
    const move = (moved: globalThis.PointerEvent) => set(width + sign * (moved.clientX - start));
    const end = () => {
      line.removeEventListener("pointermove", move);
      line.removeEventListener("pointerup", end);
    };
    line.addEventListener("pointermove", move);
    line.addEventListener("pointerup", end);
  };
  const key = (event: KeyboardEvent) => {
    if (event.key === "ArrowLeft") set(width - sign * 16);
    if (event.key === "ArrowRight") set(width + sign * 16);
  };
  return (
    <hr
      className="splitter"
      aria-label={label}
      aria-orientation="vertical"
      aria-valuenow={width}
      aria-valuemin={min}
      aria-valuemax={max}
      tabIndex={0}
      onPointerDown={drag}
      onKeyDown={key}
    />
  );
}

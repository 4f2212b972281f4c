import { useState } from "react";
import type { WorldTime } from "../api/types";

/** Steps and jumps in the world's time. */
export function TimeBar({
  busy,
  canUndo,
  onTime,
}: {
  busy: boolean;
  canUndo: boolean;
  onTime: (order: WorldTime) => void;
}) {
  const [text, setText] = useState("60");
  const seconds = Number(text);
  const readable = text.trim() !== "" && Number.isFinite(seconds) && seconds >= 0 && seconds < 1e12;
  const button = (what: WorldTime["what"], words: string, title: string, off = false) => (
    <button
      type="button"
      className="button small"
      title={title}
      disabled={busy || off}
      onClick={() => onTime({ what, seconds: what === "advance" || what === "jump" ? seconds : 0 })}
    >
      {words}
    </button>
  );
  return (
    <>
      {button("step", "Next event", "Let the next event happen, whenever it is")}
      <label className="sc-seconds">
        <span className="sr-only">Seconds</span>
        <input
          className="input"
          inputMode="decimal"
          value={text}
          aria-invalid={!readable}
          onChange={(event) => setText(event.target.value)}
        />
        s
      </label>
      {button("advance", "Advance", "Let so many seconds pass, event by event", !readable)}
      {button("jump", "Jump to", "Set the clock to so many seconds since the start; what is due happens", !readable)}
      <span className="grow" />
      {button("oracle", "Oracle run", "From the start, do all that is expected of the agent")}
      {button("undo", "Undo", "Go back before the last thing that was done", !canUndo)}
      {button("restart", "Restart", "Begin anew")}
    </>
  );
}

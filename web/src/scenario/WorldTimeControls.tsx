import { useState } from "react";
import type { TimeControlInput } from "../api/types";

/** Controls of the world's time. */
export function WorldTimeControls({
  isBusy,
  canUndo,
  onTime,
}: {
  isBusy: boolean;
  canUndo: boolean;
  onTime: (input: TimeControlInput) => void;
}) {
  const [text, setText] = useState("60");
  const seconds = Number(text);
  const isValid = text.trim() !== "" && Number.isFinite(seconds) && seconds >= 0 && seconds < 1e12;
  const renderButton = (command: TimeControlInput["command"], words: string, title: string, off = false) => (
    <button
      type="button"
      className="button small"
      title={title}
      disabled={isBusy || off}
      onClick={() => onTime({ command, seconds: command === "advance" || command === "jump" ? seconds : 0 })}
    >
      {words}
    </button>
  );
  return (
    <>
      {renderButton("step", "Next event", "Advance to the next event and run it")}
      <label className="sc-seconds">
        <span className="sr-only">Seconds</span>
        <input
          className="input"
          inputMode="decimal"
          value={text}
          aria-invalid={!isValid}
          onChange={(event) => setText(event.target.value)}
        />
        s
      </label>
      {renderButton("advance", "Advance", "Advance by this many seconds, event by event", !isValid)}
      {renderButton("jump", "Jump to", "Set the clock to this many seconds after the start; due events run", !isValid)}
      <span className="grow" />
      {renderButton("oracle", "Oracle run", "Restart, and perform every action that is expected of the agent")}
      {renderButton("undo", "Undo", "Revert the last action", !canUndo)}
      {renderButton("restart", "Restart", "Start again from the beginning")}
    </>
  );
}

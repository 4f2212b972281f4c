import { useEffect, useState } from "react";
import { api } from "../api/client";
import type { PlayedWorldInfo, TimeControlInput } from "../api/types";
import { ErrorAlert } from "../ui/ErrorAlert";
import { useAction } from "../ui/useAction";

/** Lets the world's time pass while the person's turn waits; the session's undo takes that back. */
export function WorldTimeControls({ sessionId, world }: { sessionId: string; world: PlayedWorldInfo }) {
  const [text, setText] = useState("60");
  const { isBusy, error, run, clearError } = useAction();
  const isWaiting = world.status === "PAUSED";
  const seconds = Number(text);
  const isValid = text.trim() !== "" && Number.isFinite(seconds) && seconds >= 0 && seconds < 1e12;
  // biome-ignore lint/correctness/useExhaustiveDependencies: an error is about the time when the button was pressed
  useEffect(clearError, [world.elapsed_seconds, isWaiting]);
  const renderButton = (label: string, title: string, input: TimeControlInput, isPossible = true) => (
    <button
      type="button"
      className="button small"
      title={isWaiting ? title : "Time can be moved while your turn waits"}
      disabled={isBusy || !isWaiting || !isPossible}
      onClick={() => void run(async () => void (await api.changeWorldTime(sessionId, input)))}
    >
      {label}
    </button>
  );
  return (
    <>
      <section className="world-time" aria-label="Time control">
        {renderButton("Next event", "Let time pass until the next event", {})}
        <div>
          <label>
            <span className="sr-only">Seconds</span>
            <input
              className="input"
              inputMode="decimal"
              value={text}
              aria-invalid={!isValid}
              onChange={(event) => setText(event.target.value)}
            />{" "}
            s
          </label>
          {renderButton("Advance", "Let this many seconds pass", { seconds }, isValid)}
          {renderButton(
            "Jump to",
            "Let time pass until this many seconds after the start",
            { until: seconds },
            isValid,
          )}
        </div>
      </section>
      {error ? <ErrorAlert title={error.message} /> : null}
    </>
  );
}

import { useRef } from "react";
import { api } from "../api/client";
import type { SessionRecord, TimelineRow } from "../api/types";
import { useObservable } from "../state/observable";
import type { SessionStore } from "../state/sessionStore";
import { Stopwatch } from "../ui/ClockTime";
import { useAction } from "../ui/useAction";
import { ActionErrorAlert } from "./ActionErrorAlert";
import { ComposerHeader } from "./ComposerHeader";
import type { Drafts, SetDrafts } from "./drafts";
import { TypeAheadField } from "./TypeAheadField";
import { useFirstFieldFocus } from "./useFirstFieldFocus";

/** Shown while the agent runs: the running calls and their duration. */
export function RunningPanel({
  store,
  session,
  drafts,
  setDrafts,
}: {
  store: SessionStore;
  session: SessionRecord;
  drafts: Drafts;
  setDrafts: SetDrafts;
}) {
  const frame = useRef<HTMLDivElement>(null);
  useFirstFieldFocus(frame, "running");
  useObservable(store);
  const running = store.listLoadedRows().filter((row) => row.status === "running" && row.kind === "call");
  return (
    <div className="composer-frame" ref={frame} tabIndex={-1}>
      <ComposerHeader title={running.length ? "Running" : `${session.agent_label} is working`}>
        {running.length
          ? "Your next turn starts when these calls are done."
          : "Your turn starts when the agent calls its model."}
      </ComposerHeader>
      <div className="composer-body scroll">
        <ul className="running">
          {running.map((row, position) => (
            <RunningCall key={row.index} session={session} row={row} number={position + 1} />
          ))}
        </ul>
        <TypeAheadField drafts={drafts} setDrafts={setDrafts} />
      </div>
      <footer className="composer-foot">
        <div className="composer-buttons">
          <span className="grow" />
          {/* It takes the place of the button that was just pressed, so that a second press does nothing. */}
          <button type="button" className="button primary" disabled>
            <span className="spinner" />
            Running
          </button>
        </div>
      </footer>
    </div>
  );
}

function RunningCall({ session, row, number }: { session: SessionRecord; row: TimelineRow; number: number }) {
  const { isBusy, error, run } = useAction();
  return (
    <li>
      <div className="running-call">
        <span className="spinner" />
        <b className="mono">{row.subject}</b>
        <span className="mono quiet running-arguments">{row.summary}</span>
        <Stopwatch since={row.timestamp} />
        <button
          type="button"
          className="button small danger"
          disabled={isBusy}
          aria-label={`Cancel ${row.subject}, call ${number}`}
          onClick={() => void run(() => api.cancelCall(session.session_id, row.call_id))}
        >
          Cancel
        </button>
      </div>
      <ActionErrorAlert error={error} />
    </li>
  );
}

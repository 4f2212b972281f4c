import { type CSSProperties, useState } from "react";
import { api } from "../api/client";
import type { SessionRecord, TimelineRow } from "../api/types";
import { useTimeTravel } from "../timetravel/timeTravelContext";
import { describeOrigin } from "../timetravel/undoneRows";
import { ClockTime, Stopwatch } from "../ui/ClockTime";
import { formatDuration } from "../ui/format";
import { Icon } from "../ui/Icon";
import { useNote } from "./noteDraft";
import { RowActions } from "./RowActions";
import { RowBody } from "./RowBody";
import { NoteMark, RowNote } from "./RowNote";
import { FullRowPreview, OlderRowPreview } from "./RowPreview";
import {
  type Density,
  describeMismatch,
  describePlayer,
  describeResponder,
  describeRow,
  findOtherAgent,
  formatWorldTime,
} from "./rowFormat";
import { useRowSource } from "./rowSource";

/** One row: its line, and its details while expanded. */
export function RowLine({
  session,
  row,
  open,
  density,
  depth = 0,
  isFull,
  onToggle,
  onResize,
}: {
  session: SessionRecord;
  row: TimelineRow;
  open: boolean;
  density: Density;
  /** How many lanes it is indented by, below the call that started them. */
  depth?: number;
  /** Whether all of its result is shown while it is closed, in comfortable density. */
  isFull: boolean;
  onToggle: () => void;
  /** Called before the row grows or shrinks for its note. */
  onResize: () => void;
}) {
  const note = useNote(session.session_id, row, onResize);
  const { takesNotes, findMark } = useRowSource();
  const { icon, label, tone } = describeRow(row);
  const agent = findOtherAgent(row, session);
  const mark = describeMismatch(row) ?? findMark?.(row);
  const responder = describeResponder(row);
  const isCompact = density === "compact";
  const timeTravel = useTimeTravel();
  const isUndone = timeTravel?.isUndone(row) ?? false;
  const summary = timeTravel ? describeOrigin(row, timeTravel.session.time_travel) : row.summary;
  return (
    <article
      className={`row ${density} tone-${tone} ${open ? "open" : ""} ${isUndone ? "undone" : ""}`}
      style={depth ? ({ "--depth": depth } as CSSProperties) : undefined}
      data-depth={depth}
      data-kind={row.kind}
      data-status={row.status}
    >
      <div className="row-head">
        <button
          type="button"
          className="row-line"
          aria-expanded={open}
          onClick={onToggle}
          {...(takesNotes ? note.lineProps : {})}
        >
          <span className="sr-only">
            Row {row.index + 1}
            {depth ? `, level ${depth + 1}` : ""}:{" "}
          </span>
          <span className="row-time">{row.timestamp ? <ClockTime time={row.timestamp} /> : null}</span>
          <span className="row-kind">
            <Icon name={icon} />
            {label}
          </span>
          <span className="row-text">
            {agent ? (
              <span className="row-agent" title={agent}>
                {agent}
              </span>
            ) : null}
            {row.subject ? <b className="mono">{row.subject}</b> : null}
            <span className={isCallText(row) ? "mono row-summary" : "row-summary"}>{summary}</span>
            {row.result && isCompact ? <RowResult row={row} /> : null}
          </span>
          {responder ? (
            <span className="row-rule" title={responder.title}>
              {responder.label}
            </span>
          ) : null}
          {isUndone ? (
            <span className="row-rule" title="This was undone: it is no longer part of the session">
              undone
            </span>
          ) : null}
          {mark ? (
            <span className="row-rule" title={mark.title}>
              {mark.label}
            </span>
          ) : null}
          <NoteMark note={note} />
          {row.world_seconds != null ? (
            <span className="row-world-time" title="Time since the start of the world">
              {formatWorldTime(row)}
            </span>
          ) : null}
          {row.status !== "running" ? (
            <span className="row-duration">{row.duration_ms != null ? formatDuration(row.duration_ms) : ""}</span>
          ) : null}
          <span className="row-player">{describePlayer(row)}</span>
        </button>
        {row.status === "running" && row.kind === "call" ? (
          <RunningControls session={session} row={row} />
        ) : (
          <RowActions session={session} row={row} note={note} />
        )}
      </div>
      {open && takesNotes ? <RowNote row={row} note={note} isExpanded /> : null}
      {open ? (
        <RowBody sessionId={session.session_id} row={row} />
      ) : isCompact || isUndone ? null : isFull ? (
        <FullRowPreview sessionId={session.session_id} row={row} onShowAll={onToggle} />
      ) : (
        <OlderRowPreview sessionId={session.session_id} row={row} onShowAll={onToggle} />
      )}
      {open || !takesNotes ? null : <RowNote row={row} note={note} isExpanded={false} />}
    </article>
  );
}

/** Whether the summary of a row is a call's arguments. */
function isCallText(row: TimelineRow): boolean {
  return row.kind === "call" || (row.kind === "world" && row.subject.includes("__"));
}

function RowResult({ row }: { row: TimelineRow }) {
  return (
    <>
      <span className="row-arrow">{row.status === "failed" ? "✕" : "→"}</span>
      <span className="mono row-result">{row.result}</span>
    </>
  );
}

function RunningControls({ session, row }: { session: SessionRecord; row: TimelineRow }) {
  const [isCancelling, setIsCancelling] = useState(false);
  const { controlsCalls } = useRowSource();
  const cancel = () => {
    setIsCancelling(true);
    api.cancelCall(session.session_id, row.call_id).catch(() => setIsCancelling(false));
  };
  return (
    <span className="row-running">
      <span className="spinner" />
      {controlsCalls ? <Stopwatch since={row.timestamp} /> : null}
      {row.call_id && controlsCalls ? (
        <button
          type="button"
          className="button small danger"
          aria-label={`Cancel ${row.subject}, row ${row.index + 1}`}
          disabled={isCancelling}
          onClick={cancel}
        >
          Cancel
        </button>
      ) : null}
    </span>
  );
}

import { type CSSProperties, useState } from "react";
import { api } from "../api/client";
import type { Row, SessionInfo } from "../api/types";
import { ClockTime, Stopwatch } from "../ui/ClockTime";
import { formatDuration } from "../ui/format";
import { Icon } from "../ui/Icon";
import { RowBody } from "./RowBody";
import { FullRowPreview, OlderRowPreview } from "./RowPreview";
import { type Density, describeMismatch, describePlayer, describeRow, findOtherAgent } from "./rowFormat";

/** One row: its line, and its details while expanded. */
export function RowLine({
  session,
  row,
  open,
  density,
  depth = 0,
  isFull,
  onToggle,
}: {
  session: SessionInfo;
  row: Row;
  open: boolean;
  density: Density;
  /** How many lanes it is indented by, below the call that started them. */
  depth?: number;
  /** Whether all of its result is shown while it is closed, in comfortable density. */
  isFull: boolean;
  onToggle: () => void;
}) {
  const { icon, label, tone } = describeRow(row);
  const agent = findOtherAgent(row, session);
  const mark = describeMismatch(row);
  const isCompact = density === "compact";
  return (
    <article
      className={`row ${density} tone-${tone} ${open ? "open" : ""}`}
      style={depth ? ({ "--depth": depth } as CSSProperties) : undefined}
      data-depth={depth}
      data-kind={row.kind}
      data-status={row.status}
    >
      <div className="row-head">
        <button type="button" className="row-line" aria-expanded={open} onClick={onToggle}>
          <span className="sr-only">
            Row {row.index + 1}
            {depth ? `, level ${depth + 1}` : ""}:{" "}
          </span>
          <span className="row-time">
            <ClockTime time={row.timestamp} />
          </span>
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
            <span className={row.kind === "call" ? "mono row-summary" : "row-summary"}>{row.summary}</span>
            {row.result && isCompact ? <RowResult row={row} /> : null}
          </span>
          {row.rule ? (
            <span className="row-rule" title="Not the tool itself: this rule answered">
              simulated by {row.rule}
            </span>
          ) : null}
          {mark ? (
            <span className="row-rule" title={mark.title}>
              {mark.label}
            </span>
          ) : null}
          {row.status !== "running" ? (
            <span className="row-duration">{row.duration_ms != null ? formatDuration(row.duration_ms) : ""}</span>
          ) : null}
          <span className="row-player">{describePlayer(row)}</span>
        </button>
        {row.status === "running" && row.kind === "call" ? <RunningControls session={session} row={row} /> : null}
      </div>
      {open ? (
        <RowBody sessionId={session.session_id} row={row} />
      ) : isCompact ? null : isFull ? (
        <FullRowPreview sessionId={session.session_id} row={row} onShowAll={onToggle} />
      ) : (
        <OlderRowPreview sessionId={session.session_id} row={row} onShowAll={onToggle} />
      )}
    </article>
  );
}

function RowResult({ row }: { row: Row }) {
  return (
    <>
      <span className="row-arrow">{row.status === "failed" ? "✕" : "→"}</span>
      <span className="mono row-result">{row.result}</span>
    </>
  );
}

function RunningControls({ session, row }: { session: SessionInfo; row: Row }) {
  const [isCancelling, setIsCancelling] = useState(false);
  const cancel = () => {
    setIsCancelling(true);
    api.cancelCall(session.session_id, row.call_id).catch(() => setIsCancelling(false));
  };
  return (
    <span className="row-running">
      <span className="spinner" />
      <Stopwatch since={row.timestamp} />
      {row.call_id ? (
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

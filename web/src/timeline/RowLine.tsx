import { useState } from "react";
import { api } from "../api/client";
import type { Row, SessionShape } from "../api/types";
import { duration } from "../ui/format";
import { Icon } from "../ui/Icon";
import { At, Stopwatch } from "../ui/Time";
import { RowBody } from "./RowBody";
import { face, otherAgent, player } from "./rows";

/** One fact: a line, and what stands behind it when it is open. */
export function RowLine({
  session,
  row,
  open,
  onToggle,
}: {
  session: SessionShape;
  row: Row;
  open: boolean;
  onToggle: () => void;
}) {
  const { icon, word, tone } = face(row);
  const agent = otherAgent(row, session);
  return (
    <article className={`row tone-${tone} ${open ? "open" : ""}`} data-kind={row.kind} data-status={row.status}>
      <div className="row-head">
        <button type="button" className="row-line" aria-expanded={open} onClick={onToggle}>
          <span className="row-time">
            <At time={row.at} />
          </span>
          <span className="row-kind">
            <Icon name={icon} />
            {word}
          </span>
          <span className="row-text">
            {agent ? <span className="row-agent">{agent}</span> : null}
            {row.subject ? <b className="mono">{row.subject}</b> : null}
            <span className={row.kind === "call" ? "mono row-summary" : "row-summary"}>{row.summary}</span>
            {row.result ? <Result row={row} /> : null}
          </span>
          {row.rule ? (
            <span className="row-rule" title="Not the tool itself: this rule answered">
              simulated by {row.rule}
            </span>
          ) : null}
          {row.status !== "running" ? (
            <span className="row-duration">{row.duration_ms != null ? duration(row.duration_ms) : ""}</span>
          ) : null}
          <span className="row-player">{player(row)}</span>
        </button>
        {row.status === "running" && row.kind === "call" ? <Running session={session} row={row} /> : null}
      </div>
      {open ? <RowBody sessionId={session.session_id} row={row} /> : null}
    </article>
  );
}

function Result({ row }: { row: Row }) {
  return (
    <>
      <span className="row-arrow">{row.status === "failed" ? "✕" : "→"}</span>
      <span className="mono row-result">{row.result}</span>
    </>
  );
}

function Running({ session, row }: { session: SessionShape; row: Row }) {
  const [asked, ask] = useState(false);
  const cancel = () => {
    ask(true);
    api.cancel(session.session_id, row.call_id).catch(() => ask(false));
  };
  return (
    <span className="row-running">
      <span className="spinner" />
      <Stopwatch since={row.at} />
      {row.call_id ? (
        <button type="button" className="button small danger" disabled={asked} onClick={cancel}>
          Cancel
        </button>
      ) : null}
    </span>
  );
}

import { useState } from "react";
import type { ActualEventInfo, ExpectedEventInfo, VerdictInfo, VerdictTurn } from "../api/types";
import { useRowNavigation } from "../timeline/rowNavigation";
import { formatCount } from "../ui/format";
import { Icon } from "../ui/Icon";
import { drawMatchLine, EVENT_HEIGHT, listMatchLines, splitTool } from "./matchLines";
import "./verdict.css";

/** A verdict: for each turn, what was expected beside what happened, with lines between what belongs together, and its events lead to their rows. */
export function VerdictView({ verdict }: { verdict: VerdictInfo }) {
  return (
    <section className="verdict" aria-label="Verdict">
      <p className="verdict-head">
        <b className={verdict.passed ? "verdict-passed" : "verdict-failed"}>
          <Icon name={verdict.passed ? "answer" : "close"} />
          {verdict.passed ? "Passed" : "Failed"}
        </b>
        <span>{verdict.reason || "Everything that is expected was done, and nothing else."}</span>
        <span className="quiet">
          {verdict.judge === "scripted" ? "texts were not compared" : `texts compared by ${verdict.judge}`}
        </span>
      </p>
      {verdict.turns.map((turn) => (
        <TurnView key={turn.number} turn={turn} />
      ))}
      {verdict.validations.length ? (
        <section>
          <h3>Validations</h3>
          <ul className="verdict-differences">
            {verdict.validations.map((validation) => (
              <li key={validation.event_id}>
                <b className="mono">{validation.event_id}</b>{" "}
                {validation.passed ? "passed" : `failed: ${validation.reason}`}
              </li>
            ))}
          </ul>
        </section>
      ) : null}
    </section>
  );
}

function TurnView({ turn }: { turn: VerdictTurn }) {
  const [active, setActive] = useState<number | null>(null);
  const lines = listMatchLines(turn);
  const rows = Math.max(turn.expected.length, turn.actual.length);
  const partner = active === null ? null : turn.expected[active]?.partner;
  const title = turn.status === "after the end" ? "After the last turn" : `Turn ${turn.number}`;
  // What is only missing is marked in the list, and says no more here.
  const differing = turn.expected.filter((event) => event.differences.length || event.nearest);
  const tooMany = turn.counts.filter((count) => count.got > count.expected);
  return (
    <section className="verdict-turn" aria-label={title}>
      <h3>
        {title} <span className="quiet">{turn.status === "after the end" ? "not judged" : turn.status}</span>
      </h3>
      {rows ? (
        <div className="verdict-sides">
          <h4>Expected</h4>
          <span />
          <h4>Happened</h4>
          <ol>
            {turn.expected.map((event, place) => (
              <ExpectedEvent
                // biome-ignore lint/suspicious/noArrayIndexKey: the events of a verdict never change
                key={place}
                event={event}
                isActive={place === active}
                onActive={() => setActive(place === active ? null : place)}
              />
            ))}
          </ol>
          <svg
            className="verdict-lines"
            viewBox={`0 0 100 ${rows * EVENT_HEIGHT}`}
            height={rows * EVENT_HEIGHT}
            preserveAspectRatio="none"
            aria-hidden="true"
          >
            {lines.map((line) => (
              <path
                key={line.from}
                d={drawMatchLine(line)}
                className={`${line.isMatch ? "matched" : "wrong"}${line.from === active ? " active" : ""}`}
              />
            ))}
          </svg>
          <ol>
            {turn.actual.map((action, place) => (
              <ActualEvent
                // biome-ignore lint/suspicious/noArrayIndexKey: the events of a verdict never change
                key={place}
                event={action}
                isActive={place === partner}
              />
            ))}
          </ol>
        </div>
      ) : (
        <p className="quiet">Nothing happened.</p>
      )}
      {tooMany.length || differing.length ? (
        <ul className="verdict-differences">
          {tooMany.map((count) => (
            <li key={count.tool}>
              <b className="mono">{count.tool}</b> expected {formatCount(count.expected, "call")}, got {count.got}
            </li>
          ))}
          {differing.map((event) => (
            <Differences key={event.event_id} event={event} />
          ))}
        </ul>
      ) : null}
    </section>
  );
}

const EXPECTED_ICONS = { matched: "answer", wrong: "error", missing: "close", "not judged": "more" } as const;

function ExpectedEvent({
  event,
  isActive,
  onActive,
}: {
  event: ExpectedEventInfo;
  isActive: boolean;
  onActive: () => void;
}) {
  return (
    <li>
      <button
        type="button"
        className={`verdict-event is-${event.status.replace(" ", "-")}`}
        aria-pressed={isActive}
        title={`${event.event_id}: ${event.tool} ${event.summary}`}
        onClick={onActive}
      >
        <Icon name={EXPECTED_ICONS[event.status]} />
        <span className="sr-only">{event.status}: </span>
        <EventText tool={event.tool} summary={event.summary} />
      </button>
    </li>
  );
}

function ActualEvent({ event, isActive }: { event: ActualEventInfo; isActive: boolean }) {
  const goToRow = useRowNavigation();
  const { row_index: row } = event;
  const mark = event.error ? "failed" : event.is_extra ? "extra" : "";
  return (
    <li>
      <button
        type="button"
        className={`verdict-event${isActive ? " active" : ""}${mark ? ` is-${mark}` : ""}`}
        title={event.error || `${event.tool} ${event.summary}`}
        disabled={row === null}
        onClick={() => row !== null && goToRow(row)}
      >
        <span className="verdict-when">{event.seconds.toLocaleString("en", { maximumFractionDigits: 1 })} s</span>
        <EventText tool={event.tool} summary={event.summary} />
        {mark ? <span className="verdict-mark">{mark}</span> : null}
      </button>
    </li>
  );
}

function EventText({ tool, summary }: { tool: string; summary: string }) {
  return (
    <span className="verdict-text">
      <b className="mono">{splitTool(tool).name}</b> <span className="mono quiet">{summary}</span>
    </span>
  );
}

/** What differs between an expected event and the nearest that happened. */
function Differences({ event }: { event: ExpectedEventInfo }) {
  return (
    <li>
      <b className="mono">{event.tool}</b> <span className="quiet">{event.event_id}</span>{" "}
      {event.status === "missing" ? "is missing" : null}
      {event.nearest ? <span className="quiet"> (nearest: {event.nearest})</span> : null}
      {event.differences.length ? (
        <table>
          <thead>
            <tr>
              <th>Argument</th>
              <th>Expected</th>
              <th>Got</th>
              <th>Rule</th>
            </tr>
          </thead>
          <tbody>
            {event.differences.map((difference) => (
              <tr key={`${difference.argument} ${difference.rule}`}>
                <td className="mono">{difference.argument}</td>
                <td className="mono">{difference.expected}</td>
                <td className="mono verdict-failed">{difference.got}</td>
                <td className="quiet">{difference.rule}</td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : null}
    </li>
  );
}

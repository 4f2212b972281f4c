import { useState } from "react";
import type { JudgedEvent, JudgedTurn, SessionVerdict, ShownAction } from "../api/types";
import { formatPreview } from "../json/preview";
import { fromPlain } from "../json/value";
import { useRowNavigation } from "../timeline/rowNavigation";
import { formatCount } from "../ui/format";
import { Icon } from "../ui/Icon";
import { drawMatchLine, EVENT_HEIGHT, findPartner, listMatchLines, splitTool } from "./matchLines";
import "./verdict.css";

/** A verdict: for each turn, what was expected beside what happened, with lines between what belongs together, and its events lead to their rows. */
export function VerdictView({ verdict: { verdict, judge, happened } }: { verdict: SessionVerdict }) {
  const later = happened[verdict.turns.length];
  return (
    <section className="verdict" aria-label="Verdict">
      <p className="verdict-head">
        <b className={verdict.passed ? "verdict-passed" : "verdict-failed"}>
          <Icon name={verdict.passed ? "answer" : "close"} />
          {verdict.passed ? "Passed" : "Failed"}
        </b>
        <span>{verdict.reason || "Everything that is expected was done, and nothing else."}</span>
        <span className="quiet">{judge === "scripted" ? "texts were not compared" : `texts compared by ${judge}`}</span>
      </p>
      {verdict.turns.map((turn, place) => (
        <TurnView key={turn.number} title={`Turn ${turn.number}`} turn={turn} happened={happened[place] ?? []} />
      ))}
      {later ? <TurnView title="After the last turn" turn={NOT_JUDGED} happened={later} /> : null}
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

const NOT_JUDGED: JudgedTurn = { number: 0, status: "not judged", events: [], counts: [], extra: [] };

function TurnView({ title, turn, happened }: { title: string; turn: JudgedTurn; happened: ShownAction[] }) {
  const [active, setActive] = useState<number | null>(null);
  const lines = listMatchLines(turn.events, happened);
  const rows = Math.max(turn.events.length, happened.length);
  const activeEvent = active === null ? undefined : turn.events[active];
  const partner = activeEvent && findPartner(activeEvent);
  const extra = new Set(turn.extra.map(({ event_id }) => event_id));
  // What is only missing is marked in the list, and says no more here.
  const differing = turn.events.filter((event) => event.differences.length || describeNearest(event));
  const tooMany = turn.counts.filter((count) => count.got > count.expected);
  return (
    <section className="verdict-turn" aria-label={title}>
      <h3>
        {title} <span className="quiet">{turn.status}</span>
      </h3>
      {rows ? (
        <div className="verdict-sides">
          <h4>Expected</h4>
          <span />
          <h4>Happened</h4>
          <ol>
            {turn.events.map((event, place) => (
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
            {happened.map((action, place) => (
              <ActualEvent
                // biome-ignore lint/suspicious/noArrayIndexKey: the events of a verdict never change
                key={place}
                event={action}
                isExtra={extra.has(action.event_id)}
                isActive={action.event_id === partner}
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

const EXPECTED_ICONS = { matched: "answer", wrong: "error", missing: "close" } as const;

function ExpectedEvent({ event, isActive, onActive }: { event: JudgedEvent; isActive: boolean; onActive: () => void }) {
  return (
    <li>
      <button
        type="button"
        className={`verdict-event is-${event.status}`}
        aria-pressed={isActive}
        title={`${event.event_id}: ${event.tool} ${formatArguments(event.arguments)}`}
        onClick={onActive}
      >
        <Icon name={EXPECTED_ICONS[event.status]} />
        <span className="sr-only">{event.status}: </span>
        <EventText tool={event.tool} summary={formatArguments(event.arguments)} />
      </button>
    </li>
  );
}

function ActualEvent({ event, isExtra, isActive }: { event: ShownAction; isExtra: boolean; isActive: boolean }) {
  const goToRow = useRowNavigation();
  const { row_index: row } = event;
  const mark = event.note ? "failed" : isExtra ? "extra" : "";
  return (
    <li>
      <button
        type="button"
        className={`verdict-event${isActive ? " active" : ""}${mark ? ` is-${mark}` : ""}`}
        title={event.note || `${event.tool} ${formatArguments(event.arguments)}`}
        disabled={row === null}
        onClick={() => row !== null && goToRow(row)}
      >
        <span className="verdict-when">{event.seconds.toLocaleString("en", { maximumFractionDigits: 1 })} s</span>
        <EventText tool={event.tool} summary={formatArguments(event.arguments)} />
        {mark ? <span className="verdict-mark">{mark}</span> : null}
      </button>
    </li>
  );
}

/** If an event is missing: the action that may have been meant. */
function describeNearest({ status, nearest }: JudgedEvent): string {
  if (status !== "missing" || !nearest) return "";
  return `${nearest.tool} ${formatArguments(nearest.arguments)}: ${nearest.note}`;
}

function formatArguments(values: { [name: string]: unknown }): string {
  return Object.entries(values)
    .map(([name, value]) => `${name}=${formatPreview(fromPlain(value))}`)
    .join(" ");
}

function formatValue(value: unknown): string {
  return formatPreview(fromPlain(value), 4_000);
}

function EventText({ tool, summary }: { tool: string; summary: string }) {
  return (
    <span className="verdict-text">
      <b className="mono">{splitTool(tool).name}</b> <span className="mono quiet">{summary}</span>
    </span>
  );
}

/** What differs between an expected event and the nearest that happened. */
function Differences({ event }: { event: JudgedEvent }) {
  const nearest = describeNearest(event);
  return (
    <li>
      <b className="mono">{event.tool}</b> <span className="quiet">{event.event_id}</span>{" "}
      {event.status === "missing" ? "is missing" : null}
      {nearest ? <span className="quiet"> (nearest: {nearest})</span> : null}
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
                <td className="mono">{formatValue(difference.expected)}</td>
                <td className="mono verdict-failed">{formatValue(difference.got)}</td>
                <td className="quiet">{difference.rule}</td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : null}
    </li>
  );
}

import { Fragment } from "react";
import { api } from "../api/client";
import type { EventSummary, ScenarioInfo } from "../api/types";
import { useFetch } from "../api/useFetch";
import { JsonTextTree } from "../json/JsonTree";
import { ErrorAlert } from "../ui/ErrorAlert";
import { formatCount, formatUtcTime } from "../ui/format";
import { EventKindLabel } from "./EventKindLabel";
import { formatCall, formatOffset } from "./eventKinds";

/** The event that is selected: what it does, with which arguments, when, and after what. */
export function EventPane({
  scenario,
  event,
  showsAnswer,
  onSelect,
}: {
  scenario: ScenarioInfo;
  event: EventSummary | null;
  showsAnswer: boolean;
  onSelect: (index: number) => void;
}) {
  return (
    <section className="sc-side scroll" aria-label="Event">
      {event ? (
        <EventDetails
          key={event.index}
          scenario={scenario}
          event={event}
          showsAnswer={showsAnswer}
          onSelect={onSelect}
        />
      ) : (
        <p className="quiet">Select an event to see its arguments.</p>
      )}
    </section>
  );
}

function EventDetails({
  scenario,
  event,
  showsAnswer,
  onSelect,
}: {
  scenario: ScenarioInfo;
  event: EventSummary;
  showsAnswer: boolean;
  onSelect: (index: number) => void;
}) {
  const { data: detail, error } = useFetch(
    () => api.getEvent(scenario.key, event.index, showsAnswer),
    `${event.index}`,
  );
  const next = scenario.events.filter((other) => other.depends_on.includes(event.index));
  const before = scenario.events.filter((other) => event.depends_on.includes(other.index));
  const hints = scenario.hints.filter((hint) => hint.event_index === event.index);
  const start = scenario.start_time;
  return (
    <>
      <div className="sc-event-head">
        <EventKindLabel kind={event.kind} />
        <h2 className="mono">{formatCall(event)}</h2>
      </div>
      <dl className="sc-facts">
        <dt>When</dt>
        <dd>
          {event.expected_seconds === null ? "never: it is part of a cycle" : formatOffset(event.expected_seconds)}
          {event.turn === null ? "" : `, turn ${event.turn + 1}`}
          {event.expected_seconds === null || start === null ? null : (
            <div className="quiet">{formatUtcTime(start + event.expected_seconds)}</div>
          )}
        </dd>
        <dt>Id</dt>
        <dd className="mono">{event.event_id}</dd>
        <dt>After</dt>
        <dd>
          <EventLinks events={before} onSelect={onSelect} otherwise="nothing" />
        </dd>
        <dt>Then</dt>
        <dd>
          <EventLinks events={next} onSelect={onSelect} otherwise="nothing" />
        </dd>
        {hints.map((hint, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the hints of a file never change
          <Fragment key={index}>
            <dt>Hint</dt>
            <dd>{hint.content}</dd>
          </Fragment>
        ))}
      </dl>
      {error ? <ErrorAlert title={error} /> : null}
      {detail ? (
        <>
          <h3>Arguments</h3>
          <JsonTextTree text={detail.arguments} />
          <details>
            <summary className="quiet">The event as the file holds it</summary>
            <JsonTextTree text={detail.event_json} />
          </details>
        </>
      ) : null}
    </>
  );
}

const MAX_LINKS = 20;

function EventLinks({
  events,
  onSelect,
  otherwise,
}: {
  events: EventSummary[];
  onSelect: (index: number) => void;
  otherwise: string;
}) {
  if (!events.length) return <span className="quiet">{otherwise}</span>;
  return (
    <ul className="sc-others">
      {events.slice(0, MAX_LINKS).map((event) => (
        <li key={event.index}>
          <button type="button" className="sc-link" onClick={() => onSelect(event.index)}>
            {formatCall(event)}
          </button>
        </li>
      ))}
      {events.length > MAX_LINKS ? (
        <li className="quiet">and {formatCount(events.length - MAX_LINKS, "more", "more")}</li>
      ) : null}
    </ul>
  );
}

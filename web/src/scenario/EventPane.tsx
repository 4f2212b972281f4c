import { api } from "../api/client";
import type { EventLine, ScenarioShape } from "../api/types";
import { JsonTextTree } from "../json/JsonTree";
import { Failure } from "../ui/Failure";
import { count, full } from "../ui/format";
import { KindMark } from "./KindMark";
import { callOf, since } from "./kinds";
import { useLoaded } from "./useLoaded";

/** The event that is selected: what it does, with which arguments, when, and after what. */
export function EventPane({
  scenario,
  event,
  onSelect,
}: {
  scenario: ScenarioShape;
  event: EventLine | null;
  onSelect: (place: number) => void;
}) {
  return (
    <section className="sc-side scroll" aria-label="Event">
      {event ? (
        <Event key={event.place} scenario={scenario} event={event} onSelect={onSelect} />
      ) : (
        <p className="quiet">Select an event to see its arguments.</p>
      )}
    </section>
  );
}

function Event({
  scenario,
  event,
  onSelect,
}: {
  scenario: ScenarioShape;
  event: EventLine;
  onSelect: (place: number) => void;
}) {
  const { found, trouble } = useLoaded(() => api.event(scenario.key, event.place), `${event.place}`);
  const next = scenario.events.filter((one) => one.after.includes(event.place));
  const before = scenario.events.filter((one) => event.after.includes(one.place));
  const start = scenario.start_time;
  return (
    <>
      <div className="sc-event-head">
        <KindMark kind={event.kind} />
        <h2 className="mono">{callOf(event)}</h2>
      </div>
      <dl className="sc-facts">
        <dt>When</dt>
        <dd title={event.seconds === null || start === null ? undefined : full(start + event.seconds)}>
          {event.seconds === null ? "never: it waits for a cycle" : since(event.seconds)}
          {event.turn === null ? "" : `, turn ${event.turn + 1}`}
        </dd>
        <dt>Id</dt>
        <dd className="mono">{event.event_id}</dd>
        <dt>After</dt>
        <dd>
          <Others events={before} onSelect={onSelect} otherwise="nothing" />
        </dd>
        <dt>Then</dt>
        <dd>
          <Others events={next} onSelect={onSelect} otherwise="nothing" />
        </dd>
      </dl>
      {trouble ? <Failure title={trouble} /> : null}
      {found ? (
        <>
          <h3>Arguments</h3>
          <JsonTextTree text={found.arguments} />
          <details>
            <summary className="quiet">The event as the file holds it</summary>
            <JsonTextTree text={found.event} />
          </details>
        </>
      ) : null}
    </>
  );
}

const MOST = 20;

function Others({
  events,
  onSelect,
  otherwise,
}: {
  events: EventLine[];
  onSelect: (place: number) => void;
  otherwise: string;
}) {
  if (!events.length) return <span className="quiet">{otherwise}</span>;
  return (
    <ul className="sc-others">
      {events.slice(0, MOST).map((one) => (
        <li key={one.place}>
          <button type="button" className="sc-link" onClick={() => onSelect(one.place)}>
            {callOf(one)}
          </button>
        </li>
      ))}
      {events.length > MOST ? <li className="quiet">and {count(events.length - MOST, "more", "more")}</li> : null}
    </ul>
  );
}

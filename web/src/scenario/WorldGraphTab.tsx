import { useState } from "react";
import { api } from "../api/client";
import type { SessionRecord, WorldGraphEvent, WorldGraphInfo } from "../api/types";
import { useLiveFetch } from "../api/useLiveFetch";
import { Dialog } from "../ui/Dialog";
import { ErrorAlert } from "../ui/ErrorAlert";
import { Icon } from "../ui/Icon";
import { EventKindLabel } from "./EventKindLabel";
import { EventStateLabel } from "./EventStateLabel";
import { formatCall, formatOffset } from "./eventKinds";
import { findLatestEvent, formatStateCounts } from "./eventStates";
import { GraphPane } from "./GraphPane";
import "./scenario.css";

/** The scenario's graph while a session is played in its world: what happened, what failed and what is due. */
export default function WorldGraphTab({ session }: { session: SessionRecord }) {
  const { session_id: sessionId, last_seq: seq, status } = session;
  const { data: graph, error } = useLiveFetch(() => api.getWorldGraph(sessionId), sessionId, `${seq}/${status}`);
  const [isEnlarged, setEnlarged] = useState(false);
  if (!graph) return error ? <ErrorAlert title={error} /> : <p className="quiet sc-loading">Loading…</p>;
  return (
    <div className="sc-live">
      {error ? <ErrorAlert title={error} /> : null}
      <div className="sc-live-head">
        <p className="grow" role="status" aria-label="Events">
          {formatStateCounts(graph.events) || "Nothing has happened yet."}
        </p>
        <button type="button" className="button small" onClick={() => setEnlarged(true)}>
          <Icon name="expand" />
          Enlarge
        </button>
      </div>
      {isEnlarged ? (
        <Dialog title={`Events of ${graph.scenario_id}`} isWide onClose={() => setEnlarged(false)}>
          <div className="sc-live sc-live-large">
            <RunGraph graph={graph} />
          </div>
        </Dialog>
      ) : (
        <RunGraph graph={graph} />
      )}
    </div>
  );
}

function RunGraph({ graph }: { graph: WorldGraphInfo }) {
  const [selected, select] = useState<number | null>(null);
  const event = graph.events.find((event) => event.index === selected) ?? null;
  return (
    <>
      {graph.hides_answer ? (
        <p className="quiet sc-live-note">What is expected of the agent is shown when the run is over.</p>
      ) : null}
      <GraphPane
        events={graph.events}
        selected={selected}
        focus={event?.index ?? findLatestEvent(graph.events)}
        onSelect={select}
      />
      {event ? <SelectedEvent event={event} /> : null}
    </>
  );
}

function SelectedEvent({ event }: { event: WorldGraphEvent }) {
  return (
    <section className="sc-live-event scroll" aria-label="Event">
      <div className="sc-event-head">
        <EventKindLabel kind={event.kind} />
        <h2 className="mono">{formatCall(event)}</h2>
      </div>
      <dl className="sc-facts">
        <dt>State</dt>
        <dd>
          <EventStateLabel state={event.state} /> {event.seconds === null ? "" : formatOffset(event.seconds)}
        </dd>
        {event.note ? (
          <>
            <dt>Why</dt>
            <dd className="sc-error">{event.note}</dd>
          </>
        ) : null}
        {event.summary ? (
          <>
            <dt>Arguments</dt>
            <dd className="mono">{event.summary}</dd>
          </>
        ) : null}
      </dl>
    </section>
  );
}

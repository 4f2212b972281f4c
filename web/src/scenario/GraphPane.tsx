import {
  Controls,
  type Edge,
  Handle,
  MarkerType,
  type Node,
  type NodeProps,
  Position,
  ReactFlow,
  ReactFlowProvider,
  useReactFlow,
  useStore,
} from "@xyflow/react";
import "@xyflow/react/dist/style.css";
import { useEffect, useMemo, useState } from "react";
import { ErrorAlert } from "../ui/ErrorAlert";
import { EventKindLabel } from "./EventKindLabel";
import { EventStateLabel } from "./EventStateLabel";
import { formatCall, KINDS, truncateMiddle } from "./eventKinds";
import { formatEventTime, type GraphEvent } from "./eventStates";
import { chooseViewport, type GraphLayout, HEIGHT, WIDTH } from "./layout";
import { useGraphLayout } from "./useGraphLayout";

const MAX_EVENTS = 1000;
const MAX_NAME_LENGTH = 28;

interface EventNodeData extends Record<string, unknown> {
  event: GraphEvent;
  selected: boolean;
  isHorizontal: boolean;
  onSelect: (index: number) => void;
}

type EventNode = Node<EventNodeData, "event">;

const TYPES = { event: EventBox };

/**
 * The dependency graph of the events, and in a run what has become of them. Very many are unreadable as a graph; the
 * list of events has them all.
 */
export function GraphPane({
  events,
  selected,
  focus = null,
  onSelect,
  onList,
}: {
  events: GraphEvent[];
  selected: number | null;
  /** The event that is kept in sight until a person moves the graph; null for the beginning. */
  focus?: number | null;
  onSelect: (index: number) => void;
  /** Opens a list of all events, if there is one. */
  onList?: () => void;
}) {
  if (events.length === 0) {
    return (
      <section className="sc-main empty" aria-label="Graph">
        <p>This scenario has no events. You can inspect its state, and call its tools under Play.</p>
      </section>
    );
  }
  if (events.length > MAX_EVENTS) {
    return (
      <section className="sc-main empty" aria-label="Graph">
        <p>
          {events.length.toLocaleString("en")} events are too many to draw (at most {MAX_EVENTS.toLocaleString("en")}).{" "}
          {onList ? "The list has them all." : "Those that happened are on the timeline of the session."}
        </p>
        {onList ? (
          <button type="button" className="button primary" onClick={onList}>
            Events
          </button>
        ) : null}
      </section>
    );
  }
  return <EventGraph events={events} selected={selected} focus={focus} onSelect={onSelect} />;
}

function EventGraph({
  events,
  selected,
  focus,
  onSelect,
}: {
  events: GraphEvent[];
  selected: number | null;
  focus: number | null;
  onSelect: (index: number) => void;
}) {
  const { layout, error } = useGraphLayout(events);
  const [isMoved, setMoved] = useState(false);
  const keep = () => setMoved(true);
  const nodes = useMemo(() => {
    const isHorizontal = layout?.isHorizontal ?? false;
    const positions = new Map((layout?.positions ?? []).map(([index, x, y]) => [index, { x, y }]));
    return events.flatMap((event): EventNode[] => {
      const position = positions.get(event.index);
      if (!position) return [];
      const data = { event, selected: event.index === selected, isHorizontal: isHorizontal, onSelect };
      return [{ id: String(event.index), type: "event", position, data, width: WIDTH, height: HEIGHT }];
    });
  }, [events, layout, selected, onSelect]);
  const edges = useMemo(
    () =>
      events.flatMap((event) =>
        event.depends_on.map(
          (from): Edge => ({
            id: `${from}-${event.index}`,
            source: String(from),
            target: String(event.index),
            markerEnd: { type: MarkerType.ArrowClosed },
            focusable: false,
          }),
        ),
      ),
    [events],
  );
  const kinds = [...new Set(events.map((event) => event.kind))];
  return (
    <section className="sc-main sc-graph" aria-label="Graph">
      <ul className="sc-bar sc-legend" aria-label="Kinds">
        {kinds.map((kind) => (
          <li key={kind}>
            <EventKindLabel kind={kind} /> <span className="quiet">{KINDS[kind].meaning}</span>
          </li>
        ))}
      </ul>
      {error ? <ErrorAlert title={error} /> : null}
      {layout ? (
        <ReactFlowProvider>
          <ReactFlow
            nodes={nodes}
            edges={edges}
            nodeTypes={TYPES}
            nodesDraggable={false}
            nodesConnectable={false}
            nodesFocusable={false}
            elementsSelectable={false}
            onlyRenderVisibleElements={events.length > 200}
            minZoom={0.05}
            // Without an event of the mouse or keyboard, it was not the person who moved it.
            onMoveStart={(event) => event && keep()}
            proOptions={{ hideAttribution: true }}
          >
            <Controls showInteractive={false} onZoomIn={keep} onZoomOut={keep} onFitView={keep} />
            {isMoved ? null : <Viewport layout={layout} focus={focus} />}
          </ReactFlow>
        </ReactFlowProvider>
      ) : error ? null : (
        <p className="quiet sc-loading">Laying out…</p>
      )}
    </section>
  );
}

/** Shows the part of the graph that matters, also when the pane or the graph grows; removed once a person has moved it. */
function Viewport({ layout, focus }: { layout: GraphLayout; focus: number | null }) {
  const { setViewport } = useReactFlow();
  const width = useStore((store) => store.width);
  const height = useStore((store) => store.height);
  useEffect(() => {
    if (width > 0 && height > 0) void setViewport(chooseViewport(layout, { width, height }, focus));
  }, [layout, focus, width, height, setViewport]);
  return null;
}

function EventBox({ data }: NodeProps<EventNode>) {
  const { event, selected, isHorizontal, onSelect } = data;
  return (
    <>
      <Handle type="target" position={isHorizontal ? Position.Left : Position.Top} isConnectable={false} />
      <button
        type="button"
        className={`sc-box sc-${event.kind}${event.state ? ` sc-is-${event.state}` : ""} nodrag nopan`}
        aria-pressed={selected}
        title={[formatCall(event), event.summary, event.note].filter(Boolean).join(" ")}
        aria-label={[KINDS[event.kind].label, event.state, formatEventTime(event), formatCall(event)]
          .filter(Boolean)
          .join(" ")}
        onClick={() => onSelect(event.index)}
      >
        <span className="sc-box-head">
          <EventKindLabel kind={event.kind} />
          <span className="sc-box-state">
            {event.state ? <EventStateLabel state={event.state} /> : null}
            <span className="quiet">{formatEventTime(event)}</span>
          </span>
        </span>
        <span className="sc-box-call">{truncateMiddle(formatCall(event), MAX_NAME_LENGTH)}</span>
      </button>
      <Handle type="source" position={isHorizontal ? Position.Right : Position.Bottom} isConnectable={false} />
    </>
  );
}

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
} from "@xyflow/react";
import "@xyflow/react/dist/style.css";
import { useMemo } from "react";
import type { EventSummary } from "../api/types";
import { ErrorAlert } from "../ui/ErrorAlert";
import { EventKindLabel } from "./EventKindLabel";
import { formatCall, formatOffset, KINDS } from "./eventKinds";
import { HEIGHT, WIDTH } from "./layout";
import { useGraphLayout } from "./useGraphLayout";

const MAX_EVENTS = 1000;
const FIT = { minZoom: 0.5, maxZoom: 1, padding: 0.1 };

interface EventNodeData extends Record<string, unknown> {
  event: EventSummary;
  selected: boolean;
  isHorizontal: boolean;
  onSelect: (index: number) => void;
}

type EventNode = Node<EventNodeData, "event">;

const TYPES = { event: EventBox };

/** The dependency graph of the events. Very many are unreadable as a graph; the time line lists them. */
export function GraphPane({
  events,
  selected,
  onSelect,
  onList,
}: {
  events: EventSummary[];
  selected: number | null;
  onSelect: (index: number) => void;
  onList: () => void;
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
          {events.length.toLocaleString("en")} events are too many to draw (at most {MAX_EVENTS.toLocaleString("en")}).
          The time line has them all.
        </p>
        <button type="button" className="button primary" onClick={onList}>
          Time line
        </button>
      </section>
    );
  }
  return <EventGraph events={events} selected={selected} onSelect={onSelect} />;
}

function EventGraph({
  events,
  selected,
  onSelect,
}: {
  events: EventSummary[];
  selected: number | null;
  onSelect: (index: number) => void;
}) {
  const { layout, error } = useGraphLayout(events);
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
  const kinds = [...new Set(events.map((one) => one.kind))];
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
            fitView
            fitViewOptions={FIT}
            proOptions={{ hideAttribution: true }}
          >
            <Controls showInteractive={false} />
          </ReactFlow>
        </ReactFlowProvider>
      ) : error ? null : (
        <p className="quiet sc-loading">Laying out…</p>
      )}
    </section>
  );
}

function EventBox({ data }: NodeProps<EventNode>) {
  const { event, selected, isHorizontal, onSelect } = data;
  return (
    <>
      <Handle type="target" position={isHorizontal ? Position.Left : Position.Top} isConnectable={false} />
      <button
        type="button"
        className={`sc-box sc-${event.kind} nodrag nopan`}
        aria-pressed={selected}
        title={event.summary}
        onClick={() => onSelect(event.index)}
      >
        <span className="sc-box-head">
          <EventKindLabel kind={event.kind} />
          <span className="quiet">{formatOffset(event.expected_seconds)}</span>
        </span>
        <span className="sc-box-call">{formatCall(event)}</span>
      </button>
      <Handle type="source" position={isHorizontal ? Position.Right : Position.Bottom} isConnectable={false} />
    </>
  );
}

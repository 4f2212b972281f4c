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
import type { EventLine } from "../api/types";
import { Failure } from "../ui/Failure";
import { KindMark } from "./KindMark";
import { callOf, KINDS, since } from "./kinds";
import { HEIGHT, WIDTH } from "./layout";
import { useLayout } from "./useLayout";

const MOST = 1000;
const FIT = { minZoom: 0.5, maxZoom: 1, padding: 0.1 };

interface Box extends Record<string, unknown> {
  event: EventLine;
  selected: boolean;
  across: boolean;
  onSelect: (place: number) => void;
}

type EventNode = Node<Box, "event">;

const TYPES = { event: EventBox };

/** What waits for what. A graph of very many events says nothing to the eye: there is the time line for them. */
export function Graph({
  events,
  selected,
  onSelect,
  onList,
}: {
  events: EventLine[];
  selected: number | null;
  onSelect: (place: number) => void;
  onList: () => void;
}) {
  if (events.length === 0) {
    return (
      <section className="sc-main empty" aria-label="Graph">
        <p>This scenario has no events. Its state can be looked at, and its tools called under Play.</p>
      </section>
    );
  }
  if (events.length > MOST) {
    return (
      <section className="sc-main empty" aria-label="Graph">
        <p>
          {events.length.toLocaleString("en")} events are too many to draw (at most {MOST.toLocaleString("en")}). The
          time line has them all.
        </p>
        <button type="button" className="button primary" onClick={onList}>
          Time line
        </button>
      </section>
    );
  }
  return <Drawn events={events} selected={selected} onSelect={onSelect} />;
}

function Drawn({
  events,
  selected,
  onSelect,
}: {
  events: EventLine[];
  selected: number | null;
  onSelect: (place: number) => void;
}) {
  const { placed, trouble } = useLayout(events);
  const nodes = useMemo(() => {
    const across = placed?.across ?? false;
    const at = new Map((placed?.at ?? []).map(([place, x, y]) => [place, { x, y }]));
    return events.flatMap((event): EventNode[] => {
      const position = at.get(event.place);
      if (!position) return [];
      const data = { event, selected: event.place === selected, across, onSelect };
      return [{ id: String(event.place), type: "event", position, data, width: WIDTH, height: HEIGHT }];
    });
  }, [events, placed, selected, onSelect]);
  const edges = useMemo(
    () =>
      events.flatMap((event) =>
        event.after.map(
          (from): Edge => ({
            id: `${from}-${event.place}`,
            source: String(from),
            target: String(event.place),
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
            <KindMark kind={kind} /> <span className="quiet">{KINDS[kind].means}</span>
          </li>
        ))}
      </ul>
      {trouble ? <Failure title={trouble} /> : null}
      {placed ? (
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
      ) : trouble ? null : (
        <p className="quiet sc-loading">Laying out…</p>
      )}
    </section>
  );
}

function EventBox({ data }: NodeProps<EventNode>) {
  const { event, selected, across, onSelect } = data;
  return (
    <>
      <Handle type="target" position={across ? Position.Left : Position.Top} isConnectable={false} />
      <button
        type="button"
        className={`sc-box sc-${event.kind} nodrag nopan`}
        aria-pressed={selected}
        title={event.summary}
        onClick={() => onSelect(event.place)}
      >
        <span className="sc-box-head">
          <KindMark kind={event.kind} />
          <span className="quiet">{since(event.seconds)}</span>
        </span>
        <span className="sc-box-call">{callOf(event)}</span>
      </button>
      <Handle type="source" position={across ? Position.Right : Position.Bottom} isConnectable={false} />
    </>
  );
}

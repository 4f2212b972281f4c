import { Graph as DagreGraph, layout } from "@dagrejs/dagre";

export const WIDTH = 236;
export const HEIGHT = 58;

/** The events and their dependencies, by index in the file. */
export interface GraphInput {
  indexes: number[];
  edges: [number, number][];
}

export interface GraphLayout {
  /** Whether the graph runs from left to right instead of top down. */
  isHorizontal: boolean;
  positions: [index: number, x: number, y: number][];
}

const MAX_ASPECT = 2;

/** Lays out the graph top down, or from left to right where that would be too wide to read. */
export function layoutGraph(graph: GraphInput): GraphLayout {
  const down = runDagre(graph, "TB");
  const { width = 0, height = 0 } = down.graph() as { width?: number; height?: number };
  const isHorizontal = width > MAX_ASPECT * height;
  const dagre = isHorizontal ? runDagre(graph, "LR") : down;
  const positions = graph.indexes.map((index): GraphLayout["positions"][number] => {
    const { x, y } = dagre.node(String(index)) as { x: number; y: number };
    return [index, x - WIDTH / 2, y - HEIGHT / 2];
  });
  return { isHorizontal, positions };
}

/** A graph that would have to be smaller than this to fit is shown in its natural size, from its first event. */
const MIN_FITTING_ZOOM = 0.8;
const MARGIN = 24;

/** The part of the graph that is shown first: all of it if that is readable, else its beginning, or one of its events. */
export function chooseViewport(
  { positions, isHorizontal }: GraphLayout,
  pane: { width: number; height: number },
  focus: number | null = null,
): { x: number; y: number; zoom: number } {
  const left = Math.min(...positions.map(([, x]) => x));
  const top = Math.min(...positions.map(([, , y]) => y));
  const width = Math.max(...positions.map(([, x]) => x)) + WIDTH - left;
  const height = Math.max(...positions.map(([, , y]) => y)) + HEIGHT - top;
  const fittingZoom = Math.min(1, (pane.width - 2 * MARGIN) / width, (pane.height - 2 * MARGIN) / height);
  const zoom = fittingZoom >= MIN_FITTING_ZOOM ? fittingZoom : 1;
  const isWide = width * zoom > pane.width;
  const isTall = height * zoom > pane.height;
  const focusPosition = positions.find(([index]) => index === focus);
  const [, x, y] =
    focusPosition ??
    positions.reduce((first, position) =>
      (isHorizontal ? position[1] < first[1] : position[2] < first[2]) ? position : first,
    );
  return {
    x: !isWide
      ? (pane.width - width * zoom) / 2 - left * zoom
      : isHorizontal && !focusPosition
        ? MARGIN - x
        : pane.width / 2 - (x + WIDTH / 2),
    y: !isTall
      ? (pane.height - height * zoom) / 2 - top * zoom
      : isHorizontal || focusPosition
        ? pane.height / 2 - (y + HEIGHT / 2)
        : MARGIN - y,
    zoom,
  };
}

function runDagre({ indexes, edges }: GraphInput, rankdir: "TB" | "LR") {
  const dagre = new DagreGraph();
  dagre.setGraph({ rankdir, nodesep: rankdir === "TB" ? 24 : 12, ranksep: 40, marginx: 16, marginy: 16 });
  dagre.setDefaultEdgeLabel(() => ({}));
  // In reverse: dagre puts the nodes added first at the far end.
  for (const index of indexes.toReversed()) dagre.setNode(String(index), { width: WIDTH, height: HEIGHT });
  for (const [from, to] of edges.toReversed()) dagre.setEdge(String(from), String(to));
  layout(dagre);
  return dagre;
}

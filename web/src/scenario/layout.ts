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

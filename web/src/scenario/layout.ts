import { layout, Graph as Plan } from "@dagrejs/dagre";

export const WIDTH = 236;
export const HEIGHT = 58;

/** The events to place, and which follows which; by their places in the file. */
export interface ToPlace {
  places: number[];
  edges: [number, number][];
}

export interface Placed {
  /** Whether time goes from left to right; else it goes down. */
  across: boolean;
  at: [place: number, x: number, y: number][];
}

const WIDE = 2;

/** Where the events of a graph stand: top down, or from left to right where that would be too wide to read. */
export function placed(graph: ToPlace): Placed {
  const down = planned(graph, "TB");
  const { width = 0, height = 0 } = down.graph() as { width?: number; height?: number };
  const across = width > WIDE * height;
  const plan = across ? planned(graph, "LR") : down;
  const at = graph.places.map((place): Placed["at"][number] => {
    const { x, y } = plan.node(String(place)) as { x: number; y: number };
    return [place, x - WIDTH / 2, y - HEIGHT / 2];
  });
  return { across, at };
}

function planned({ places, edges }: ToPlace, rankdir: "TB" | "LR") {
  const plan = new Plan();
  plan.setGraph({ rankdir, nodesep: rankdir === "TB" ? 24 : 12, ranksep: 40, marginx: 16, marginy: 16 });
  plan.setDefaultEdgeLabel(() => ({}));
  // From the last to the first: dagre puts what it is told of first at the far end.
  for (const place of places.toReversed()) plan.setNode(String(place), { width: WIDTH, height: HEIGHT });
  for (const [from, to] of edges.toReversed()) plan.setEdge(String(from), String(to));
  layout(plan);
  return plan;
}

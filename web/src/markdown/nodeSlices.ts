/** Divides formatted Markdown into slices that are small enough to be rendered one per task. */

import type { MarkdownNode } from "./parseMarkdown";

/** The work of one slice, as weighed by `weigh`: a few milliseconds on a slow machine. */
export const MAX_SLICE_WEIGHT = 400;
const CHARACTERS_PER_WEIGHT = 50;

export type ContainerNode = Extract<MarkdownNode, { type: "element" }>;

/** Parts that are rendered together, or one container whose own parts are rendered in slices. */
export type NodeSlice = { nodes: MarkdownNode[] } | { container: ContainerNode };

/** What is filled bit by bit. */
const CONTAINER_TAGS = new Set(["ul", "ol", "li", "blockquote", "table", "tbody"]);

/** The parts in slices, in order. A single part that is not a container may be more than a slice should be. */
export function sliceNodes(nodes: readonly MarkdownNode[]): NodeSlice[] {
  const slices: NodeSlice[] = [];
  let slice: MarkdownNode[] = [];
  let weight = 0;

  function endSlice(): void {
    if (slice.length > 0) slices.push({ nodes: slice });
    slice = [];
    weight = 0;
  }

  for (const node of nodes) {
    const added = weigh(node);
    if (weight + added > MAX_SLICE_WEIGHT) endSlice();
    if (added > MAX_SLICE_WEIGHT && node.type === "element" && CONTAINER_TAGS.has(node.tagName)) {
      slices.push({ container: node });
    } else {
      slice.push(node);
      weight += added;
    }
  }
  endSlice();
  return slices;
}

/** The nodes inside, and for long texts more; counted no further than it matters. */
function weigh(node: MarkdownNode): number {
  let weight = 0;
  const pending = [node];
  while (weight <= MAX_SLICE_WEIGHT) {
    const next = pending.pop();
    if (next === undefined) break;
    weight += 1;
    if (next.type !== "element") weight += Math.floor(next.value.length / CHARACTERS_PER_WEIGHT);
    else for (const child of next.children) pending.push(child);
  }
  return weight;
}

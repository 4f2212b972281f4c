import { createElement, memo, useMemo } from "react";
import { LongText } from "../json/LongText";
import { formatSize } from "../ui/format";
import { MarkdownNodes } from "./MarkdownNodes";
import { type ContainerNode, type NodeSlice, sliceNodes } from "./nodeSlices";
import type { MarkdownNode } from "./parseMarkdown";
import { useParsedMarkdown } from "./useParsedMarkdown";
import { useSliceCount } from "./useSliceCount";

/** Markdown that would block the page if it were formatted at once: parsed in a worker, rendered in slices. */
export function LongMarkdown({ text }: { text: string }) {
  const parsed = useParsedMarkdown(text);
  switch (parsed.status) {
    case "reading":
      return (
        <p className="quiet" role="status">
          Formatting {formatSize(text.length)}…
        </p>
      );
    case "failed":
      return (
        <>
          <p className="quiet">This Markdown could not be formatted.</p>
          <LongText text={text} />
        </>
      );
    case "parsed":
      return (
        <div className="markdown">
          <NodeSlices nodes={parsed.nodes} />
        </div>
      );
  }
}

function NodeSlices({ nodes }: { nodes: MarkdownNode[] }) {
  const slices = useMemo(() => sliceNodes(nodes), [nodes]);
  const count = useSliceCount(slices);
  // biome-ignore lint/suspicious/noArrayIndexKey: slices have no identity but their order
  return slices.slice(0, count).map((slice, index) => <SliceView key={index} slice={slice} />);
}

/** A slice never changes, so it is not rendered again when the next one is added. */
const SliceView = memo(function SliceView({ slice }: { slice: NodeSlice }) {
  return "nodes" in slice ? <MarkdownNodes nodes={slice.nodes} /> : <Container node={slice.container} />;
});

function Container({ node: { tagName, properties, children } }: { node: ContainerNode }) {
  const isTable = tagName === "table" || tagName === "tbody";
  // The whitespace between rows must not be in a table.
  const nodes = useMemo(
    () => (isTable ? children.filter((node) => node.type === "element") : children),
    [isTable, children],
  );
  const props = {
    ...(typeof properties.start === "number" ? { start: properties.start } : {}),
    ...(tagName === "table" ? { className: "long-table" } : {}),
  };
  return createElement(tagName, props, <NodeSlices nodes={nodes} />);
}

import ReactMarkdown, { type ExtraProps } from "react-markdown";
import remarkGfm from "remark-gfm";

type MarkdownElement = NonNullable<ExtraProps["node"]>;
/** A part of formatted Markdown: an element with parts inside, or text. */
export type MarkdownNode = MarkdownElement["children"][number];

export const REMARK_PLUGINS = [remarkGfm];

/** Parses Markdown to the parts it consists of, in order, without their positions in the text. */
export function parseMarkdown(text: string): MarkdownNode[] {
  let nodes: MarkdownNode[] = [];
  const keepNodes = () => (tree: { children: MarkdownNode[] }) => {
    nodes = tree.children;
  };
  // It has no hooks, and the order of its plugins is public: so this is the parser, with the same options.
  ReactMarkdown({ children: text, remarkPlugins: REMARK_PLUGINS, rehypePlugins: [keepNodes] });
  nodes.forEach(removePositions);
  return nodes;
}

/** Positions are most of what would be copied from the worker. */
function removePositions(node: MarkdownNode): void {
  delete node.position;
  if (node.type === "element") node.children.forEach(removePositions);
}

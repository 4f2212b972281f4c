import ReactMarkdown, { type Components } from "react-markdown";
import { type MarkdownNode, REMARK_PLUGINS } from "./parseMarkdown";

/** Text from models and tools is untrusted: links are not clickable, images are not loaded, HTML is text. */
const SAFE_COMPONENTS: Components = {
  a: ({ href, children }) => (
    <span className="dead-link" title={href}>
      {children}
      {href && href !== String(children) ? <small>{href}</small> : null}
    </span>
  ),
  img: ({ src, alt }) => (
    <span className="dead-link">
      image: {alt || "without description"} <small>{typeof src === "string" ? src : ""}</small>
    </span>
  ),
  input: ({ checked }) => <span>{checked ? "☑" : "☐"} </span>,
};

/** Markdown, parsed and rendered at once. */
export function MarkdownAtOnce({ text }: { text: string }) {
  return (
    <ReactMarkdown remarkPlugins={REMARK_PLUGINS} components={SAFE_COMPONENTS}>
      {text}
    </ReactMarkdown>
  );
}

/** Parts of Markdown that is parsed already; they are made safe in the same way. */
export function MarkdownNodes({ nodes }: { nodes: MarkdownNode[] }) {
  const replaceTree = () => () => ({ type: "root" as const, children: nodes });
  return <ReactMarkdown rehypePlugins={[replaceTree]} components={SAFE_COMPONENTS} />;
}

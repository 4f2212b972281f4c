import ReactMarkdown, { type Components } from "react-markdown";
import remarkGfm from "remark-gfm";

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

export function Markdown({ text }: { text: string }) {
  return (
    <div className="markdown">
      <ReactMarkdown remarkPlugins={[remarkGfm]} components={SAFE_COMPONENTS}>
        {text}
      </ReactMarkdown>
    </div>
  );
}

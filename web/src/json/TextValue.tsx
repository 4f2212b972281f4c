import { type ReactNode, useMemo, useState } from "react";
import { CopyButton } from "../ui/CopyButton";
import type { Json } from "./lossless";
import { jsonInside, looksLikeMarkdown } from "./nature";

export type RenderMarkdown = (text: string) => ReactNode;

interface TextValueProps {
  label: ReactNode;
  name: string | number | undefined;
  text: string;
  depth: number;
  renderJson: (value: Json) => ReactNode;
  renderMarkdown?: RenderMarkdown | undefined;
}

const MOST = 400;
const DEEPEST = 60;

/** A text in a tree: cut if it is long; opens as JSON or as markdown if it is that. */
export function TextValue({ label, name, text, depth, renderJson, renderMarkdown }: TextValueProps) {
  const [whole, setWhole] = useState(false);
  const inside = useMemo(() => (depth < DEEPEST ? jsonInside(text) : null), [text, depth]);
  const isMarkdown = useMemo(
    () => inside === null && renderMarkdown !== undefined && looksLikeMarkdown(text),
    [text, inside, renderMarkdown],
  );
  const shown = whole || text.length <= MOST ? text : `${text.slice(0, MOST)}…`;
  const isBlock = shown.includes("\n");
  const [chosen, setOpened] = useState<boolean | null>(null);
  const opened = chosen ?? (name === undefined && (inside !== null || isMarkdown));
  const kind = inside !== null ? "JSON" : isMarkdown ? "markdown" : "";

  return (
    <div className="jt-branch">
      <div className="jt-row">
        {label}
        {opened ? null : isBlock ? (
          <span className="jt-block">{shown}</span>
        ) : (
          <span className="jt-text">{JSON.stringify(shown)}</span>
        )}
        {opened || text.length <= MOST ? null : (
          <button type="button" className="jt-button jt-more" aria-expanded={whole} onClick={() => setWhole(!whole)}>
            {whole ? "show less" : `show all ${text.length.toLocaleString("en")} characters`}
          </button>
        )}
        {kind === "" ? null : (
          <button type="button" className="jt-button jt-kind" aria-pressed={opened} onClick={() => setOpened(!opened)}>
            {kind}
          </button>
        )}
        <CopyButton plain label="copy" title={`Copy ${name ?? "all of it"}`} text={text} />
      </div>
      {opened ? (
        <div className="jt-inside">
          {inside === null ? <div className="jt-markdown">{renderMarkdown?.(text)}</div> : renderJson(inside)}
        </div>
      ) : null}
    </div>
  );
}

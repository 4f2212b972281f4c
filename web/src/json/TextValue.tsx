import { type ReactNode, useMemo, useState } from "react";
import { CopyButton } from "../ui/CopyButton";
import { LongText, MAX_PLAIN_LENGTH } from "./LongText";
import type { Json } from "./lossless";
import { looksLikeJson, looksLikeMarkdown, MAX_QUICK_MARKDOWN_LENGTH } from "./textFormat";
import { useParsedJson } from "./useParsedJson";

export type RenderMarkdown = (text: string) => ReactNode;

interface TextValueProps {
  label: ReactNode;
  name: string | number | undefined;
  text: string;
  depth: number;
  renderJson: (value: Json) => ReactNode;
  renderMarkdown?: RenderMarkdown | undefined;
}

const MAX_SHOWN = 400;
const MAX_DEPTH = 60;

/** A string in a tree: truncated if long; opens as JSON or Markdown if it contains that. */
export function TextValue({ label, name, text, depth, renderJson, renderMarkdown }: TextValueProps) {
  const [isExpanded, setIsExpanded] = useState(false);
  const parsed = useParsedJson(depth < MAX_DEPTH && looksLikeJson(text) ? text : null);
  const nestedJson = parsed.status === "parsed" ? parsed.value : null;
  const isMarkdown = useMemo(
    () => nestedJson === null && renderMarkdown !== undefined && looksLikeMarkdown(text),
    [text, nestedJson, renderMarkdown],
  );
  const displayText = isExpanded || text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}…`;
  const isLong = displayText.length > MAX_PLAIN_LENGTH;
  const isBlock = !isLong && displayText.includes("\n");
  const [openChoice, setOpenChoice] = useState<boolean | null>(null);
  const isQuick = nestedJson !== null || (isMarkdown && text.length <= MAX_QUICK_MARKDOWN_LENGTH);
  const isOpen = openChoice ?? (name === undefined && isQuick);
  const kind = nestedJson !== null ? "JSON" : isMarkdown ? "markdown" : "";

  return (
    <div className="jt-branch">
      <div className="jt-row">
        {label}
        {isOpen || isLong ? null : isBlock ? (
          <span className="jt-block">{displayText}</span>
        ) : (
          <span className="jt-text">{JSON.stringify(displayText)}</span>
        )}
        {isOpen || text.length <= MAX_SHOWN ? null : (
          <button
            type="button"
            className="jt-button jt-more"
            aria-expanded={isExpanded}
            onClick={() => setIsExpanded(!isExpanded)}
          >
            {isExpanded ? "show less" : `show all ${text.length.toLocaleString("en")} characters`}
          </button>
        )}
        {kind === "" ? null : (
          <button
            type="button"
            className="jt-button jt-kind"
            aria-pressed={isOpen}
            onClick={() => setOpenChoice(!isOpen)}
          >
            {kind}
          </button>
        )}
        <CopyButton isPlain label="copy" title={`Copy ${name ?? "all of it"}`} text={text} />
      </div>
      {isLong && !isOpen ? (
        <div className="jt-inside">
          <LongText text={text} />
        </div>
      ) : null}
      {isOpen ? (
        <div className="jt-inside">
          {nestedJson === null ? <div className="jt-markdown">{renderMarkdown?.(text)}</div> : renderJson(nestedJson)}
        </div>
      ) : null}
    </div>
  );
}

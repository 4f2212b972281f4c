import { useState } from "react";
import type { DisplayValue } from "../api/types";
import { JsonTextTree } from "../json/JsonTree";
import { LongText } from "../json/LongText";
import { MAX_MARKDOWN_LENGTH, MAX_QUICK_MARKDOWN_LENGTH } from "../json/textFormat";
import { Markdown } from "../ui/Markdown";

/** A value as what it is: Markdown, a JSON tree, or text. */
export function ValueText({
  value,
  isRaw,
  openLevels = 2,
}: {
  value: DisplayValue;
  isRaw: boolean;
  /** How many levels of a tree are expanded at first. */
  openLevels?: number;
}) {
  const { format, text } = value;
  const isFormatted = !isRaw && value.is_complete;
  if (isFormatted && format === "markdown") return <MarkdownText text={text} />;
  if (isFormatted && format === "json") {
    return <JsonTextTree text={text} openLevels={openLevels} renderMarkdown={(inside) => <Markdown text={inside} />} />;
  }
  return <LongText text={text} />;
}

/** Markdown; a long one is formatted on request only, because that blocks the page for a while. */
function MarkdownText({ text }: { text: string }) {
  const [isFormatted, setIsFormatted] = useState(text.length <= MAX_QUICK_MARKDOWN_LENGTH);
  if (isFormatted) return <Markdown text={text} />;
  return (
    <>
      {text.length > MAX_MARKDOWN_LENGTH ? (
        <p className="quiet">This Markdown is too long to be formatted.</p>
      ) : (
        <p className="quiet">
          This Markdown is long; to format it takes a moment.{" "}
          <button type="button" className="button plain small" onClick={() => setIsFormatted(true)}>
            Format it
          </button>
        </p>
      )}
      <LongText text={text} />
    </>
  );
}

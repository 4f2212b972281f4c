import { useState } from "react";
import type { DisplayValue } from "../api/types";
import { JsonTextTree } from "../json/JsonTree";
import { LongText } from "../json/LongText";
import { MAX_MARKDOWN_LENGTH, MAX_QUICK_MARKDOWN_LENGTH } from "../json/textFormat";
import { Markdown } from "../markdown/Markdown";

/** A value as what it is: Markdown, a JSON tree, or text. */
export function ValueText({
  value,
  isRaw,
  openLevels = 2,
  fittingRows = 0,
}: {
  value: DisplayValue;
  isRaw: boolean;
  /** How many levels of a tree are expanded at first. */
  openLevels?: number;
  /** Deeper levels are expanded too, as long as the tree has no more rows than this. */
  fittingRows?: number;
}) {
  const { format, text } = value;
  const isFormatted = !isRaw && value.is_complete;
  if (isFormatted && format === "markdown") return <MarkdownText text={text} />;
  if (isFormatted && format === "json") {
    return (
      <JsonTextTree {...{ text, openLevels, fittingRows }} renderMarkdown={(inside) => <Markdown text={inside} />} />
    );
  }
  return <LongText text={text} />;
}

/** Markdown; a long one is formatted on request only, because all of it is then in the page. */
function MarkdownText({ text }: { text: string }) {
  const [isRequested, setIsRequested] = useState(false);
  const isTooLong = text.length > MAX_MARKDOWN_LENGTH;
  if (isRequested || isTooLong || text.length <= MAX_QUICK_MARKDOWN_LENGTH) return <Markdown text={text} />;
  return (
    <>
      <p className="quiet">
        This Markdown is long; to format it takes a moment.{" "}
        <button type="button" className="button plain small" onClick={() => setIsRequested(true)}>
          Format it
        </button>
      </p>
      <LongText text={text} />
    </>
  );
}

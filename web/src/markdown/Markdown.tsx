import { memo } from "react";
import { LongText } from "../json/LongText";
import { MAX_MARKDOWN_LENGTH } from "../json/textFormat";
import { LongMarkdown } from "./LongMarkdown";
import { MarkdownAtOnce } from "./MarkdownNodes";

/** A text up to this length is formatted at once: that takes some hundredths of a second. */
export const MAX_AT_ONCE_LENGTH = 4_000;

/** Markdown of any length; what it links to is neither loaded nor opened. Its row renders often, the same text once. */
export const Markdown = memo(function Markdown({ text }: { text: string }) {
  if (text.length > MAX_MARKDOWN_LENGTH) {
    return (
      <>
        <p className="quiet">This Markdown is too long to be formatted.</p>
        <LongText text={text} />
      </>
    );
  }
  if (text.length > MAX_AT_ONCE_LENGTH) return <LongMarkdown text={text} />;
  return (
    <div className="markdown">
      <MarkdownAtOnce text={text} />
    </div>
  );
});

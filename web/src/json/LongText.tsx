import { useVirtualizer } from "@tanstack/react-virtual";
import { useMemo, useRef } from "react";
import { formatCount } from "../ui/format";
import { splitIntoPieces, type TextPiece } from "./textPieces";
import "./long-text.css";

/** A text up to this length is one element. */
export const MAX_PLAIN_LENGTH = 20_000;

/** A text of any length; of a long one, only the part on the screen is in the page. */
export function LongText({ text, className }: { text: string; className?: string }) {
  return text.length <= MAX_PLAIN_LENGTH ? <pre className={className}>{text}</pre> : <TextWindow text={text} />;
}

function TextWindow({ text }: { text: string }) {
  const box = useRef<HTMLDivElement>(null);
  const pieces = useMemo(() => splitIntoPieces(text), [text]);
  const virtual = useVirtualizer({
    count: pieces.length,
    getScrollElement: () => box.current,
    estimateSize: (index) => estimateHeight(pieces[index] as TextPiece),
    overscan: 1,
  });
  const length = formatCount(text.length, "character");
  return (
    <div className="long-text">
      <section
        ref={box}
        className="long-text-box scroll"
        aria-label={`Text of ${length}`}
        // biome-ignore lint/a11y/noNoninteractiveTabindex: it is scrolled with the keyboard
        tabIndex={0}
      >
        <div className="long-text-all" style={{ height: virtual.getTotalSize() }}>
          {virtual.getVirtualItems().map(({ index, key, start }) => (
            <div
              key={key}
              ref={virtual.measureElement}
              data-index={index}
              className="long-text-piece"
              style={{ transform: `translateY(${start}px)` }}
            >
              {text.slice(pieces[index]?.start, pieces[index]?.end)}
            </div>
          ))}
        </div>
      </section>
      <p className="quiet">{length}. The browser’s search finds only those on the screen; copy it to search all.</p>
    </div>
  );
}

const LINE_HEIGHT = 18;
const LINE_LENGTH = 100;

/** The height of a piece before it is measured. */
function estimateHeight({ start, end, lineCount }: TextPiece): number {
  return LINE_HEIGHT * Math.max(lineCount, Math.ceil((end - start) / LINE_LENGTH));
}

import { useLayoutEffect, useRef, useState } from "react";
import type { DisplayValue, TimelineRow } from "../api/types";
import { useRowDetail } from "./useRowDetail";
import { ValueText } from "./ValueText";

/** Below the line of a row in comfortable density: the beginning of its result. */
export function RowPreview({ row, onShowAll }: { row: TimelineRow; onShowAll: () => void }) {
  if (!row.result) return null;
  return (
    <div className="row-preview">
      <ResultArrow row={row} />
      <div className="mono row-result">{row.result}</div>
      {row.result.endsWith("…") ? <ShowAllButton row={row} onShowAll={onShowAll} /> : null}
    </div>
  );
}

/** How many rows of a tree are seen without scrolling, at 720 px. */
const FITTING_ROWS = 14;

/** Rows that are scrolled past are not worth a request. */
const DELAY_MS = 150;

/** Below the line of an older row: up to 6 lines of its result, text as text and JSON as a tree. */
export function OlderRowPreview({
  sessionId,
  row,
  onShowAll,
}: {
  sessionId: string;
  row: TimelineRow;
  onShowAll: () => void;
}) {
  return hasMoreThanLine(row) ? (
    <LoadedRowPreview sessionId={sessionId} row={row} delayMs={DELAY_MS} onShowAll={onShowAll} />
  ) : (
    <RowPreview row={row} onShowAll={onShowAll} />
  );
}

/** Below the line of the newest result and of the latest message: all of it, as far as it fits. */
export function FullRowPreview(props: { sessionId: string; row: TimelineRow; onShowAll: () => void }) {
  return <LoadedRowPreview {...props} isFull />;
}

function LoadedRowPreview({
  sessionId,
  row,
  isFull = false,
  delayMs = 0,
  onShowAll,
}: {
  sessionId: string;
  row: TimelineRow;
  /** Whether all of it is shown, as far as it fits; else 6 lines. */
  isFull?: boolean;
  delayMs?: number;
  onShowAll: () => void;
}) {
  const { detail } = useRowDetail(sessionId, row, delayMs);
  const box = useRef<HTMLDivElement>(null);
  const [isCut, setIsCut] = useState(false);
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is cut depends on what was loaded
  useLayoutEffect(() => {
    const element = box.current;
    if (isFull || !element) return;
    const measure = () => setIsCut(element.scrollHeight > element.clientHeight + 1);
    measure();
    // Branches of a tree that are expanded make it longer.
    const observer = new ResizeObserver(measure);
    for (const child of element.children) observer.observe(child);
    return () => observer.disconnect();
  }, [detail, isFull]);
  const values = detail?.values.filter(isShownInPreview).map(toText) ?? [];
  const images = detail?.media.filter((file) => file.is_image) ?? [];
  // Until it is loaded, and if the line says it all, the beginning is enough: then nothing jumps.
  const isEnough = values.every((value) => isOneLine(value, row)) && images.length === 0;
  if (isEnough) return <RowPreview row={row} onShowAll={onShowAll} />;
  return (
    <div className="row-preview">
      {row.kind === "call" ? <ResultArrow row={row} /> : null}
      <div ref={box} className={`row-result row-full ${isFull ? "scroll" : "row-short"}`}>
        {values.map((value) => (
          <ValueText
            key={value.label}
            value={value}
            isRaw={false}
            openLevels={isFull ? 2 : 1}
            fittingRows={isFull ? FITTING_ROWS : 0}
          />
        ))}
        {images.map((file) => (
          <img key={file.url} className="row-thumbnail" src={file.url} alt={file.name} />
        ))}
      </div>
      {values.every((value) => value.is_complete) && !isCut ? null : <ShowAllButton row={row} onShowAll={onShowAll} />}
    </div>
  );
}

function ResultArrow({ row }: { row: TimelineRow }) {
  return <span className="row-arrow">{row.status === "failed" ? "✕" : "→"}</span>;
}

function ShowAllButton({ row, onShowAll }: { row: TimelineRow; onShowAll: () => void }) {
  const name = `Show all of ${row.subject || row.kind}, row ${row.index + 1}`;
  return (
    <button type="button" className="button plain small" aria-label={name} onClick={onShowAll}>
      Show all
    </button>
  );
}

const MAX_LINE = 40;

/** Whether the row may have more to show than its line: line breaks and structure are lost there. */
function hasMoreThanLine(row: TimelineRow): boolean {
  if (row.kind === "world" && row.result) return false;
  const lineText = row.kind === "call" ? row.result : row.summary;
  return row.kind === "call" ? lineText.length > MAX_LINE : lineText.length > 2 * MAX_LINE;
}

const PREVIEW_LABELS = ["result", "error", "text", "data", "answer", "content", "notification"];

/** Whether a value is the result or the text of its row. */
export function isShownInPreview(value: DisplayValue): boolean {
  return PREVIEW_LABELS.includes(value.label);
}

/** A result that is a text of several lines, as that text instead of as JSON. */
export function toText(value: DisplayValue): DisplayValue {
  if (value.format !== "json" || !value.is_complete || !value.text.startsWith('"')) return value;
  const text: unknown = JSON.parse(value.text);
  return typeof text === "string" && text.includes("\n") ? { ...value, format: "text", text } : value;
}

/** Line breaks, and what looks different as Markdown: a star between two numbers does not. */
const MARKUP = /\n|`|\||\]\(|\*\S|\b_\S|(^|\s)_\S|~~|^(#{1,6}|[-+*>]|\d{1,9}[.)]) /;

/** Whether the line of the row already shows the value: a text without line breaks or Markdown, or a short value. */
export function isOneLine(value: DisplayValue, row: TimelineRow): boolean {
  const lineText = row.kind === "call" ? row.result : row.summary;
  if (lineText.endsWith("…")) return false;
  if (value.format === "json") return !value.text.trim().includes("\n") || lineText.length <= 60;
  return !MARKUP.test(value.text);
}

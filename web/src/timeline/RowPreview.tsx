import type { DisplayValue, Row } from "../api/types";
import { ValueText } from "./RowBody";
import { useRowDetail } from "./useRowDetail";

/** Below the line of a row in comfortable density: the beginning of its result. */
export function RowPreview({ row, onShowAll }: { row: Row; onShowAll: () => void }) {
  if (!row.result) return null;
  return (
    <div className="row-preview">
      <ResultArrow row={row} />
      <div className="mono row-result">{row.result}</div>
      {row.result.endsWith("…") ? <ShowAllButton row={row} onShowAll={onShowAll} /> : null}
    </div>
  );
}

/** Below the line of the newest result and of the latest message: all of it, as far as it fits. */
export function FullRowPreview({ sessionId, row, onShowAll }: { sessionId: string; row: Row; onShowAll: () => void }) {
  const { detail } = useRowDetail(sessionId, row);
  const values = detail?.values.filter(isShownInPreview) ?? [];
  const images = detail?.media.filter((file) => file.is_image) ?? [];
  // Until it is loaded, and if the line says it all, the beginning is enough: then nothing jumps.
  const isEnough = values.every((value) => isOneLine(value, row)) && images.length === 0;
  if (isEnough) return <RowPreview row={row} onShowAll={onShowAll} />;
  return (
    <div className="row-preview">
      {row.kind === "call" ? <ResultArrow row={row} /> : null}
      <div className="row-result row-full scroll">
        {values.map((value) => (
          <ValueText key={value.label} value={value} isRaw={false} />
        ))}
        {images.map((file) => (
          <img key={file.url} className="row-thumbnail" src={file.url} alt={file.name} />
        ))}
      </div>
      {values.every((value) => value.is_complete) ? null : <ShowAllButton row={row} onShowAll={onShowAll} />}
    </div>
  );
}

function ResultArrow({ row }: { row: Row }) {
  return <span className="row-arrow">{row.status === "failed" ? "✕" : "→"}</span>;
}

function ShowAllButton({ row, onShowAll }: { row: Row; onShowAll: () => void }) {
  const name = `Show all of ${row.subject || row.kind}, row ${row.index + 1}`;
  return (
    <button type="button" className="button plain small" aria-label={name} onClick={onShowAll}>
      Show all
    </button>
  );
}

const PREVIEW_LABELS = ["result", "error", "text", "data", "answer", "content"];

function isShownInPreview(value: DisplayValue): boolean {
  return PREVIEW_LABELS.includes(value.label);
}

/** Whether the line of the row already shows the value: a text without line breaks or Markdown, or a short value. */
function isOneLine(value: DisplayValue, row: Row): boolean {
  const shown = row.kind === "call" ? row.result : row.summary;
  if (shown.endsWith("…")) return false;
  if (value.format === "json") return !value.text.trim().includes("\n") || shown.length <= 60;
  return !/[\n*_`#|]/.test(value.text);
}

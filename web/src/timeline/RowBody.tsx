import { useState } from "react";
import { getErrorMessage } from "../api/client";
import type { DisplayValue, MediaFile, TimelineRow } from "../api/types";
import { CopyButton } from "../ui/CopyButton";
import { ErrorAlert } from "../ui/ErrorAlert";
import { formatCount, formatDateTime, formatSize } from "../ui/format";
import { RowVerdict } from "../verdict/RowVerdict";
import { useRowSource } from "./rowSource";
import { useRowDetail } from "./useRowDetail";
import { ValueText } from "./ValueText";

/** The details of a row, loaded when it expands and again when it changes. */
export function RowBody({ sessionId, row }: { sessionId: string; row: TimelineRow }) {
  const hasVerdict = row.kind === "world" && row.subject === "verdict";
  return hasVerdict ? <RowVerdict sessionId={sessionId} row={row} /> : <RowValues sessionId={sessionId} row={row} />;
}

function RowValues({ sessionId, row }: { sessionId: string; row: TimelineRow }) {
  const { detail, error, setDetail } = useRowDetail(sessionId, row);
  const { getRow } = useRowSource();
  if (error) return <ErrorAlert title={error} />;
  if (!detail) return <div className="row-body quiet">Loading…</div>;
  return (
    <div className="row-body">
      {detail.values.map((value, index) => (
        <DetailValue
          // biome-ignore lint/suspicious/noArrayIndexKey: the values of a row keep their order
          key={index}
          value={value}
          place={`${value.label}, row ${row.index + 1}`}
          loadFull={async () => {
            const full = await getRow(sessionId, row.index, true);
            setDetail(full);
            return full.values[index]?.text ?? value.text;
          }}
        />
      ))}
      {detail.media.map((file) => (
        <MediaFigure key={file.url} file={file} />
      ))}
      <p className="row-foot quiet">
        {[row.timestamp ? formatDateTime(row.timestamp) : "", row.agent_name].filter(Boolean).join(" · ")}
      </p>
    </div>
  );
}

function DetailValue({
  value,
  place,
  loadFull,
}: {
  value: DisplayValue;
  /** Which value of which row, for the names of the buttons. */
  place: string;
  loadFull: () => Promise<string>;
}) {
  const [isRaw, setIsRaw] = useState(false);
  const [loading, setLoading] = useState<{ error: string } | null>(null);
  const showAll = () => {
    setLoading({ error: "" });
    loadFull().then(
      () => setLoading(null),
      (error: unknown) => setLoading({ error: getErrorMessage(error) }),
    );
  };
  const foldable = value.format === "traceback";
  const content = <ValueText value={value} isRaw={isRaw} />;
  return (
    <section className="value">
      <header>
        <h3>{value.label}</h3>
        {value.is_complete ? null : (
          <>
            <span className="quiet">shortened, {formatSize(value.size)} in all</span>
            <button
              type="button"
              className="button plain small"
              aria-label={`Show all of ${place}`}
              disabled={loading?.error === ""}
              onClick={showAll}
            >
              Show all
            </button>
            <span className="quiet" role="status">
              {loading?.error === "" ? "Loading…" : ""}
            </span>
          </>
        )}
        <span className="grow" />
        {value.format !== "traceback" && value.is_complete ? (
          <button
            type="button"
            className="button plain small"
            aria-label={`Raw ${place}`}
            aria-pressed={isRaw}
            onClick={() => setIsRaw(!isRaw)}
          >
            Raw
          </button>
        ) : null}
        <CopyButton text={value.is_complete ? value.text : loadFull} accessibleName={`Copy ${place}`} />
      </header>
      {loading?.error ? <ErrorAlert title={loading.error} /> : null}
      {foldable ? (
        <details>
          <summary className="quiet">{formatCount(value.text.trimEnd().split("\n").length, "line")}</summary>
          {content}
        </details>
      ) : (
        content
      )}
    </section>
  );
}

function MediaFigure({ file }: { file: MediaFile }) {
  return (
    <figure className="media-file">
      {file.is_image ? <img src={file.url} alt={file.name} /> : null}
      <figcaption>
        {file.name} <span className="quiet">{`${file.mime_type}, ${formatSize(file.size)}`}</span>{" "}
        <a className="button small" href={file.url} download={file.name}>
          Save
        </a>
      </figcaption>
    </figure>
  );
}

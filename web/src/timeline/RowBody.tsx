import { useEffect, useState } from "react";
import { api, getErrorMessage } from "../api/client";
import type { Medium, Row, RowDetail, Shown } from "../api/types";
import { JsonTextTree } from "../json/JsonTree";
import { CopyButton } from "../ui/CopyButton";
import { ErrorAlert } from "../ui/ErrorAlert";
import { formatCount, formatDateTime, formatSize } from "../ui/format";
import { Markdown } from "../ui/Markdown";

/** The details of a row, loaded when it expands and again when it changes. */
export function RowBody({ sessionId, row }: { sessionId: string; row: Row }) {
  const [detail, setDetail] = useState<RowDetail | null>(null);
  const [error, setError] = useState("");
  // biome-ignore lint/correctness/useExhaustiveDependencies: a changed row has other details
  useEffect(() => {
    let isCancelled = false;
    api.getRow(sessionId, row.index, false).then(
      (loaded) => {
        if (isCancelled) return;
        setDetail(loaded);
        setError("");
      },
      (error: unknown) => {
        if (!isCancelled) setError(getErrorMessage(error));
      },
    );
    return () => {
      isCancelled = true;
    };
  }, [sessionId, row.index, row.updated]);
  if (error) return <ErrorAlert title={error} />;
  if (!detail) return <div className="row-body quiet">Loading…</div>;
  return (
    <div className="row-body">
      {detail.values.map((value, place) => (
        <DetailValue
          // biome-ignore lint/suspicious/noArrayIndexKey: the values of a row keep their order
          key={place}
          value={value}
          loadWhole={async () => {
            const all = await api.getRow(sessionId, row.index, true);
            setDetail(all);
            return all.values[place]?.text ?? value.text;
          }}
        />
      ))}
      {detail.media.map((medium) => (
        <MediaFigure key={medium.url} medium={medium} />
      ))}
      <p className="row-foot quiet">
        {formatDateTime(row.at)}
        {row.agent_name ? ` · ${row.agent_name}` : ""}
      </p>
    </div>
  );
}

function DetailValue({ value, loadWhole }: { value: Shown; loadWhole: () => Promise<string> }) {
  const [isRaw, setIsRaw] = useState(false);
  const foldable = value.format === "traceback";
  const content = <ValueText value={value} isRaw={isRaw} />;
  return (
    <section className="value">
      <header>
        <h3>{value.label}</h3>
        {value.whole ? null : (
          <>
            <span className="quiet">shortened, {formatSize(value.size)} in all</span>
            <button type="button" className="button plain small" onClick={() => void loadWhole()}>
              Show all
            </button>
          </>
        )}
        <span className="grow" />
        {value.format !== "traceback" && value.whole ? (
          <button type="button" className="button plain small" aria-pressed={isRaw} onClick={() => setIsRaw(!isRaw)}>
            Raw
          </button>
        ) : null}
        <CopyButton text={value.whole ? value.text : loadWhole} />
      </header>
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

function ValueText({ value, isRaw }: { value: Shown; isRaw: boolean }) {
  if (!isRaw && value.whole && value.format === "markdown") return <Markdown text={value.text} />;
  if (!isRaw && value.whole && value.format === "json") {
    return <JsonTextTree text={value.text} renderMarkdown={(text) => <Markdown text={text} />} />;
  }
  return <pre>{value.text}</pre>;
}

function MediaFigure({ medium }: { medium: Medium }) {
  return (
    <figure className="medium">
      {medium.image ? <img src={medium.url} alt={medium.name} /> : null}
      <figcaption>
        {medium.name} <span className="quiet">{`${medium.mime_type}, ${formatSize(medium.size)}`}</span>{" "}
        <a className="button small" href={medium.url} download={medium.name}>
          Save
        </a>
      </figcaption>
    </figure>
  );
}

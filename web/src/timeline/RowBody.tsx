import { useEffect, useState } from "react";
import { api, words } from "../api/client";
import type { Medium, Row, RowDetail, Shown } from "../api/types";
import { JsonTextTree } from "../json/JsonTree";
import { CopyButton } from "../ui/CopyButton";
import { Failure } from "../ui/Failure";
import { count, full, size } from "../ui/format";
import { Markdown } from "../ui/Markdown";

/** What stands behind a row, fetched when it is opened and again when it has changed. */
export function RowBody({ sessionId, row }: { sessionId: string; row: Row }) {
  const [detail, setDetail] = useState<RowDetail | null>(null);
  const [trouble, setTrouble] = useState("");
  // biome-ignore lint/correctness/useExhaustiveDependencies: a row that has changed has another detail
  useEffect(() => {
    let gone = false;
    api.row(sessionId, row.index, false).then(
      (found) => {
        if (gone) return;
        setDetail(found);
        setTrouble("");
      },
      (error: unknown) => {
        if (!gone) setTrouble(words(error));
      },
    );
    return () => {
      gone = true;
    };
  }, [sessionId, row.index, row.updated]);
  if (trouble) return <Failure title={trouble} />;
  if (!detail) return <div className="row-body quiet">Loading…</div>;
  return (
    <div className="row-body">
      {detail.values.map((value, place) => (
        <Value
          // biome-ignore lint/suspicious/noArrayIndexKey: the values of a row keep their places
          key={place}
          value={value}
          whole={async () => {
            const all = await api.row(sessionId, row.index, true);
            setDetail(all);
            return all.values[place]?.text ?? value.text;
          }}
        />
      ))}
      {detail.media.map((medium) => (
        <Picture key={medium.url} medium={medium} />
      ))}
      <p className="row-foot quiet">
        {full(row.at)}
        {row.agent_name ? ` · ${row.agent_name}` : ""}
      </p>
    </div>
  );
}

function Value({ value, whole }: { value: Shown; whole: () => Promise<string> }) {
  const [raw, setRaw] = useState(false);
  const foldable = value.format === "traceback";
  const content = <ValueText value={value} raw={raw} />;
  return (
    <section className="value">
      <header>
        <h3>{value.label}</h3>
        {value.whole ? null : (
          <>
            <span className="quiet">shortened, {size(value.size)} in all</span>
            <button type="button" className="button plain small" onClick={() => void whole()}>
              Show all
            </button>
          </>
        )}
        <span className="grow" />
        {value.format !== "traceback" && value.whole ? (
          <button type="button" className="button plain small" aria-pressed={raw} onClick={() => setRaw(!raw)}>
            Raw
          </button>
        ) : null}
        <CopyButton text={value.whole ? value.text : whole} />
      </header>
      {foldable ? (
        <details>
          <summary className="quiet">{count(value.text.trimEnd().split("\n").length, "line")}</summary>
          {content}
        </details>
      ) : (
        content
      )}
    </section>
  );
}

function ValueText({ value, raw }: { value: Shown; raw: boolean }) {
  if (!raw && value.whole && value.format === "markdown") return <Markdown text={value.text} />;
  if (!raw && value.whole && value.format === "json") {
    return <JsonTextTree text={value.text} renderMarkdown={(text) => <Markdown text={text} />} />;
  }
  return <pre>{value.text}</pre>;
}

function Picture({ medium }: { medium: Medium }) {
  return (
    <figure className="medium">
      {medium.image ? <img src={medium.url} alt={medium.name} /> : null}
      <figcaption>
        {medium.name} <span className="quiet">{`${medium.mime_type}, ${size(medium.size)}`}</span>{" "}
        <a className="button small" href={medium.url} download={medium.name}>
          Save
        </a>
      </figcaption>
    </figure>
  );
}

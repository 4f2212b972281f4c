import { api } from "../api/client";
import type { RequestInfo } from "../api/types";
import { useFetch } from "../api/useFetch";
import { JsonTree } from "../json/JsonTree";
import { formatNumber, isNumber, type Json, stringify } from "../json/lossless";
import { parseInSlices } from "../json/parseInSlices";
import { Markdown } from "../markdown/Markdown";
import { CopyButton } from "../ui/CopyButton";
import { ErrorAlert } from "../ui/ErrorAlert";
import { formatCount, formatSize } from "../ui/format";

/** The exact request; the last one stays until the next turn is waiting. */
export function RequestTab({ sessionId, turnId }: { sessionId: string; turnId: string | null }) {
  const { data: request, error } = useFetch(
    (signal) => loadRequest(sessionId, turnId ?? "", signal),
    turnId === null ? null : `${sessionId}/${turnId}`,
  );
  if (error) return <ErrorAlert title={error} />;
  if (!request) return <p className="quiet">The exact request appears here when a turn is waiting for you.</p>;
  return (
    <>
      <div className="request-head">
        <span className="quiet" title="A quarter of the characters; models count differently">
          {formatSize(request.characterCount)}, about {formatCount(request.tokenEstimate, "token")}
          {turnId === request.turnId ? "" : " · of the last turn"}
        </span>
        <CopyButton text={() => stringify(request.value, 2)} />
      </div>
      <JsonTree value={request.value} renderMarkdown={(text) => <Markdown text={text} />} />
    </>
  );
}

async function loadRequest(sessionId: string, turnId: string, signal: AbortSignal) {
  const info = await parseInSlices(await api.getRequest(sessionId, turnId), signal);
  return {
    turnId,
    value: readField(info, "request") ?? null,
    characterCount: readCount(info, "character_count"),
    tokenEstimate: readCount(info, "token_estimate"),
  };
}

function readField(info: Json, name: keyof RequestInfo): Json | undefined {
  return info instanceof Map ? info.get(name) : undefined;
}

function readCount(info: Json, name: keyof RequestInfo): number {
  const count = readField(info, name);
  return isNumber(count) ? Number(formatNumber(count)) : 0;
}

import { useState } from "react";
import { api } from "../api/client";
import type { SessionRecord } from "../api/types";
import { useFetch } from "../api/useFetch";
import { useLiveFetch } from "../api/useLiveFetch";
import { JsonTree } from "../json/JsonTree";
import { parseInSlices } from "../json/parseInSlices";
import { Markdown } from "../markdown/Markdown";
import { ErrorAlert } from "../ui/ErrorAlert";
import { formatUtcTime } from "../ui/format";
import { WorldTimeControls } from "./WorldTimeControls";

/** The world that the person plays in: its clock, which they can move, the hints, and the state of its apps. */
export function WorldTab({ session }: { session: SessionRecord }) {
  const { session_id: sessionId, last_seq: seq } = session;
  const { data: world, error } = useLiveFetch(() => api.getWorldOfSession(sessionId), sessionId, `${seq}`);
  const [chosen, choose] = useState("");
  if (error) return <ErrorAlert title={error} />;
  if (!world) return <p className="quiet">Loading…</p>;
  return (
    <>
      <p role="status" aria-label="World time">
        <b>t+{world.elapsed_seconds.toLocaleString("en", { maximumFractionDigits: 1 })} s</b>{" "}
        <span className="quiet">
          {formatUtcTime(world.now)}, {world.status.toLowerCase()}
        </span>
      </p>
      {world.is_played_by_person ? <WorldTimeControls sessionId={sessionId} world={world} /> : null}
      {world.hints.length ? (
        <details>
          <summary>Hints</summary>
          {world.hints.map((hint, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: hints have no ids, and their elements no state
            <Markdown key={index} text={hint} />
          ))}
        </details>
      ) : null}
      <label className="world-app">
        App{" "}
        <select className="input" value={chosen} onChange={(event) => choose(event.target.value)}>
          <option value="">choose an app to see its state</option>
          {world.apps.map((app) => (
            <option key={app}>{app}</option>
          ))}
        </select>
      </label>
      {chosen ? <WorldAppState sessionId={sessionId} seq={seq} app={chosen} /> : null}
    </>
  );
}

function WorldAppState({ sessionId, seq, app }: { sessionId: string; seq: number; app: string }) {
  const { data, error } = useFetch(
    async (signal) => ({ state: await parseInSlices(await api.getWorldState(sessionId, app), signal) }),
    `${sessionId}/${seq}/${app}`,
  );
  if (error) return <ErrorAlert title={error} />;
  return data ? <JsonTree value={data.state} /> : <p className="quiet">Loading…</p>;
}

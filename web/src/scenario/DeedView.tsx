import type { Deed } from "../api/types";
import { JsonTextTree } from "../json/JsonTree";
import { count } from "../ui/format";
import { Icon } from "../ui/Icon";

const OPS = { add: "added", remove: "removed", replace: "changed" } as const;

/** One thing that was done: what came back, what the agent is told, what happened by it, and what changed. */
export function DeedView({ deed }: { deed: Deed }) {
  const { happened, changes, notifications } = deed;
  return (
    <li className="sc-deed">
      <div className="sc-deed-head">
        <span className="sc-when">{deed.seconds.toLocaleString("en")} s</span>
        <b className="mono">{deed.what}</b>
        {deed.via ? <span className="quiet">as {deed.via}</span> : null}
      </div>
      {deed.result === null ? null : <Result text={deed.result} />}
      {deed.error ? <pre className="sc-error">{deed.error}</pre> : null}
      {notifications.map((one, place) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: what the agent was told never changes
        <div key={place} className="sc-notification">
          <Icon name="say" />
          <div>
            <b>The agent is told</b> <span className="quiet">{one.type.toLowerCase().replaceAll("_", " ")}</span>
            <pre>{one.text}</pre>
          </div>
        </div>
      ))}
      {happened.length ? (
        <details open={happened.length <= 5}>
          <summary>{count(deed.happened_count, "event")} happened</summary>
          <ul className="sc-list">
            {happened.map((one) => (
              <li key={one.event_id}>
                <span className="sc-when">{one.seconds.toLocaleString("en")} s</span> {one.kind}{" "}
                <b className="mono">{one.call || one.event_id}</b> <span className="quiet mono">{one.summary}</span>
                {one.error ? <pre className="sc-error">{one.error}</pre> : null}
              </li>
            ))}
            <More shown={happened.length} all={deed.happened_count} />
          </ul>
        </details>
      ) : null}
      {changes.length ? (
        <details open={changes.length <= 5}>
          <summary>{count(deed.change_count, "change")}</summary>
          <ul className="sc-list">
            {changes.map((one) => (
              <li key={`${one.op} ${one.path}`}>
                <span className={`sc-op sc-op-${one.op}`}>{OPS[one.op]}</span> <b className="mono">{one.path}</b>
                {one.old === null ? null : <Side word="before" text={one.old} />}
                {one.new === null ? null : <Side word="now" text={one.new} />}
              </li>
            ))}
            <More shown={changes.length} all={deed.change_count} />
          </ul>
        </details>
      ) : happened.length === 0 && notifications.length === 0 && !deed.error ? (
        <p className="quiet">Nothing {deed.via ? "changed" : "happened"}.</p>
      ) : null}
    </li>
  );
}

function Result({ text }: { text: string }) {
  return (
    <div className="sc-result">
      {/^\s*[[{]/.test(text) ? <JsonTextTree text={text} openLevels={1} /> : <pre>{text || "(an empty text)"}</pre>}
    </div>
  );
}

function Side({ word, text }: { word: string; text: string }) {
  return (
    <div className="sc-change">
      <span className="quiet">{word}</span>
      <JsonTextTree text={text} openLevels={1} />
    </div>
  );
}

function More({ shown, all }: { shown: number; all: number }) {
  return all > shown ? <li className="quiet">and {(all - shown).toLocaleString("en")} more</li> : null;
}

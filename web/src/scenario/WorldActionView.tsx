import type { WorldAction } from "../api/types";
import { JsonTextTree } from "../json/JsonTree";
import { LongText } from "../json/LongText";
import { Markdown } from "../markdown/Markdown";
import { formatCount } from "../ui/format";
import { Icon } from "../ui/Icon";

const OPERATION_LABELS = { add: "added", remove: "removed", replace: "changed" } as const;

/** One action in the world: its result, the agent's notifications, the events it caused, and the changes. */
export function WorldActionView({ action, isOpened = false }: { action: WorldAction; isOpened?: boolean }) {
  const { events, changes, notifications } = action;
  return (
    <li className={`sc-action${isOpened ? " opened" : ""}`} data-action={action.index} tabIndex={-1}>
      <div className="sc-action-head">
        <span className="sc-when">{action.elapsed_seconds.toLocaleString("en")} s</span>
        <b className="mono">{action.summary}</b>
        {action.caller ? <span className="quiet">as {action.caller}</span> : null}
      </div>
      {action.result === null ? null : <ActionResult text={action.result} />}
      {action.error ? <LongText className="sc-error" text={action.error} /> : null}
      {notifications.map((notification, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the notifications of an action never change
        <div key={index} className="sc-notification">
          <Icon name="say" />
          <div>
            <b>Agent notified</b> <span className="quiet">{notification.kind.toLowerCase().replaceAll("_", " ")}</span>
            <LongText text={notification.text} />
          </div>
        </div>
      ))}
      {events.length ? (
        <details open={events.length <= 5}>
          <summary>{formatCount(action.event_count, "event")} happened</summary>
          <ul className="sc-list">
            {events.map((event) => (
              <li key={event.event_id}>
                <span className="sc-when">{event.elapsed_seconds.toLocaleString("en")} s</span> {event.kind}{" "}
                <b className="mono">{event.call || event.event_id}</b>{" "}
                <span className="quiet mono">{event.summary}</span>
                {event.error ? <LongText className="sc-error" text={event.error} /> : null}
              </li>
            ))}
            <MoreCount shown={events.length} all={action.event_count} />
          </ul>
        </details>
      ) : null}
      {changes.length ? (
        <details open={changes.length <= 5}>
          <summary>{formatCount(action.change_count, "change")}</summary>
          <ul className="sc-list">
            {changes.map((change) => (
              <li key={`${change.op} ${change.path}`}>
                <span className={`sc-op sc-op-${change.op}`}>{OPERATION_LABELS[change.op]}</span>{" "}
                <b className="mono">{change.path}</b>
                {change.old === null ? null : <ChangedValue word="before" text={change.old} />}
                {change.new === null ? null : <ChangedValue word="now" text={change.new} />}
              </li>
            ))}
            <MoreCount shown={changes.length} all={action.change_count} />
          </ul>
        </details>
      ) : events.length === 0 && notifications.length === 0 && !action.error ? (
        <p className="quiet">Nothing {action.caller ? "changed" : "happened"}.</p>
      ) : null}
    </li>
  );
}

/** A tool's result: JSON as a tree, any other text as it is. */
function ActionResult({ text }: { text: string }) {
  return (
    <div className="sc-result">
      {isJsonTree(text) ? (
        <JsonTextTree text={text} openLevels={1} renderMarkdown={(inside) => <Markdown text={inside} />} />
      ) : (
        <LongText text={text || "(empty)"} />
      )}
    </div>
  );
}

function isJsonTree(text: string): boolean {
  return /^\s*[[{]/.test(text);
}

function ChangedValue({ word, text }: { word: string; text: string }) {
  return (
    <div className="sc-change">
      <span className="quiet">{word}</span>
      <JsonTextTree text={text} openLevels={1} />
    </div>
  );
}

function MoreCount({ shown, all }: { shown: number; all: number }) {
  return all > shown ? <li className="quiet">and {(all - shown).toLocaleString("en")} more</li> : null;
}

import { useEffect, useRef, useState } from "react";
import type { SessionFilter } from "../state/sessionList";
import { STATUS_LABELS, STATUSES } from "../state/sessionStatus";
import { focusShortcut } from "../ui/focus";
import { Icon } from "../ui/Icon";
import { useSlashKey } from "../ui/keyboard";

/** How long after the last key a search begins. */
const SEARCH_DELAY_MS = 200;

/** The search field and the filters above the list of sessions. */
export function SessionFilterBar({
  filter,
  agents,
  onFilter,
}: {
  filter: SessionFilter;
  agents: string[];
  onFilter: (filter: SessionFilter) => void;
}) {
  const [text, setText] = useDelayedText(filter.text, (next) => onFilter({ ...filter, text: next }));
  useSlashKey(() => focusShortcut("find"));
  return (
    <search className="filter-bar">
      <label className="find">
        <Icon name="search" />
        <span className="sr-only">Find a session</span>
        <input
          type="search"
          placeholder="find a session or agent  /"
          data-shortcut="find"
          maxLength={200}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
      </label>
      <select
        className="input"
        aria-label="Status"
        value={filter.status}
        onChange={(event) => {
          const status = STATUSES.find((known) => known === event.target.value) ?? "";
          onFilter({ ...filter, text: text.trim(), status });
        }}
      >
        <option value="">All statuses</option>
        {STATUSES.map((status) => (
          <option key={status} value={status}>
            {STATUS_LABELS[status]}
          </option>
        ))}
      </select>
      <select
        className="input"
        aria-label="Agent"
        value={filter.agent}
        onChange={(event) => onFilter({ ...filter, text: text.trim(), agent: event.target.value })}
      >
        <option value="">All agents</option>
        {agents.map((agent) => (
          <option key={agent} value={agent}>
            {agent}
          </option>
        ))}
      </select>
    </search>
  );
}

/** A text that is reported when the user pauses; it follows the reported text when that changes otherwise. */
function useDelayedText(reported: string, report: (text: string) => void): [string, (text: string) => void] {
  const [text, setText] = useState(reported);
  const last = useRef(reported);
  const latest = useRef(report);
  latest.current = report;
  useEffect(() => {
    if (reported === last.current) return;
    last.current = reported;
    setText(reported);
  }, [reported]);
  useEffect(() => {
    const next = text.trim();
    if (next === last.current) return;
    const timer = window.setTimeout(() => {
      last.current = next;
      latest.current(next);
    }, SEARCH_DELAY_MS);
    return () => window.clearTimeout(timer);
  }, [text]);
  return [text, setText];
}

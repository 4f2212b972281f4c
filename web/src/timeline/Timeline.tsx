import { useEffect, useMemo, useState } from "react";
import type { SessionRecord } from "../api/types";
import { useObservable } from "../state/observable";
import type { SessionStore } from "../state/sessionStore";
import { useStoredState } from "../state/storedState";
import { ProgressNotice } from "../timetravel/ProgressNotice";
import { useTimeTravel } from "../timetravel/timeTravelContext";
import { UndoButtons } from "../timetravel/UndoButtons";
import { Icon } from "../ui/Icon";
import { COMMANDS, formatCommand, useCommand } from "../ui/keyboard";
import { RadioButtons } from "../ui/RadioButtons";
import { useExpandedRows } from "./expandedRows";
import { type Density, FILTERS, type Filter, matchesFilter } from "./rowFormat";
import { RowNavigation, type RowTarget } from "./rowNavigation";
import { TimelineRows } from "./TimelineRows";
import "./timeline.css";

/** All events, oldest first; follows the end while the end is visible. */
export function Timeline({ store, session }: { store: SessionStore; session: SessionRecord }) {
  useObservable(store);
  const [filter, setFilter] = useState<Filter>("all");
  const [query, setQuery] = useState("");
  const expanded = useExpandedRows();
  const timeTravel = useTimeTravel();
  const [density, setDensity] = useStoredState<Density>("density", "comfortable");
  const isCompact = density === "compact";
  const toggleDensity = () => setDensity(isCompact ? "comfortable" : "compact");
  useCommand(COMMANDS.density, toggleDensity);
  const [target, setTarget] = useState<RowTarget | null>(null);
  const goToRow = (index: number) => {
    setFilter("all");
    setQuery("");
    setTarget({ index });
  };
  const isFiltered = filter !== "all" || query.trim() !== "";
  const version = store.getVersion();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the store's rows change with its version
  const rowIndexes = useMemo(
    () =>
      isFiltered
        ? store
            .listLoadedRows()
            .filter((row) => matchesFilter(row, filter, query.trim()))
            .map((row) => row.index)
        : null,
    [isFiltered, filter, query, version],
  );
  useEffect(() => {
    if (isFiltered && session.row_count) void store.loadAll();
  }, [isFiltered, store, session.row_count]);
  const count = rowIndexes ? rowIndexes.length : session.row_count;

  return (
    <section className="timeline" aria-label="Timeline">
      <h2 className="sr-only">Timeline</h2>
      <div className="timeline-bar">
        <RadioButtons
          label="Show"
          className="filters"
          buttonClassName="filter"
          options={FILTERS.map((filter) => ({ value: filter, label: filter }))}
          value={filter}
          onChange={setFilter}
        />
        <label className="find">
          <Icon name="search" />
          <span className="sr-only">Find in the timeline</span>
          <input
            type="search"
            placeholder="find"
            value={query}
            data-shortcut="find"
            onChange={(event) => setQuery(event.target.value)}
          />
        </label>
        {isFiltered ? (
          <span className="quiet">
            {count} of {session.row_count}
          </span>
        ) : null}
        <span className="grow" />
        <UndoButtons />
        <button
          type="button"
          className="button plain small density"
          title={`One line per row (${formatCommand(COMMANDS.density.toUpperCase())})`}
          aria-label="Compact"
          aria-pressed={isCompact}
          onClick={toggleDensity}
        >
          <Icon name="list" />
          <span className="density-label">Compact</span>
        </button>
        <button
          type="button"
          className="button plain small icon-only"
          title="Expand all"
          aria-label="Expand all"
          onClick={expanded.expandAll}
        >
          <Icon name="expand" />
        </button>
        <button
          type="button"
          className="button plain small icon-only"
          title="Collapse all"
          aria-label="Collapse all"
          onClick={expanded.collapseAll}
        >
          <Icon name="collapse" />
        </button>
      </div>
      <ProgressNotice progress={timeTravel?.progress ?? null} />
      {session.row_count === 0 ? (
        <div className="empty">
          <p>Nothing has happened yet. Send a message as the user, and the agent's first turn is yours.</p>
        </div>
      ) : count === 0 ? (
        <div className="empty">
          <p>No rows match.</p>
          <button
            type="button"
            className="button"
            onClick={() => {
              setFilter("all");
              setQuery("");
            }}
          >
            Show all
          </button>
        </div>
      ) : (
        <RowNavigation value={goToRow}>
          <TimelineRows
            store={store}
            session={session}
            count={count}
            rowIndexes={rowIndexes}
            expanded={expanded}
            density={density}
            target={target}
          />
        </RowNavigation>
      )}
    </section>
  );
}

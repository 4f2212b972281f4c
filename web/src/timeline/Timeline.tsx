import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef, useState } from "react";
import type { SessionShape } from "../api/types";
import { app } from "../state/app";
import { useObservable } from "../state/observable";
import type { SessionStore } from "../state/sessionStore";
import { Icon } from "../ui/Icon";
import { RowLine } from "./RowLine";
import { FILTERS, type Filter, matchesFilter } from "./rowFormat";
import "./timeline.css";

const ROW_HEIGHT = 28;

/** All events, oldest first; follows the end while the end is visible. */
export function Timeline({ store, session }: { store: SessionStore; session: SessionShape }) {
  useObservable(store);
  const [filter, setFilter] = useState<Filter>("all");
  const [query, setQuery] = useState("");
  const expanded = useExpandedRows();
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
    if (isFiltered && session.rows) void store.loadAll();
  }, [isFiltered, store, session.rows]);
  const count = rowIndexes ? rowIndexes.length : session.rows;

  return (
    <section className="timeline" aria-label="Timeline">
      <div className="timeline-bar">
        <div className="filters" role="radiogroup" aria-label="Show">
          {FILTERS.map((one) => (
            // biome-ignore lint/a11y/useSemanticElements: it is a button styled as a segment
            <button
              key={one}
              type="button"
              role="radio"
              aria-checked={filter === one}
              className="filter"
              onClick={() => setFilter(one)}
            >
              {one}
            </button>
          ))}
        </div>
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
            {count} of {session.rows}
          </span>
        ) : null}
        <span className="grow" />
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
      {session.rows === 0 ? (
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
        <TimelineRows store={store} session={session} count={count} rowIndexes={rowIndexes} expanded={expanded} />
      )}
    </section>
  );
}

type ExpandedRows = ReturnType<typeof useExpandedRows>;

/** Which rows are expanded: all or none, with exceptions. */
function useExpandedRows() {
  const [state, set] = useState({ all: false, except: new Set<number>(), generation: 0 });
  const setAll = (all: boolean) => set((now) => ({ all, except: new Set<number>(), generation: now.generation + 1 }));
  return {
    /** Increases when all rows are expanded or collapsed. */
    generation: state.generation,
    isOpen: (index: number) => state.all !== state.except.has(index),
    toggle: (index: number) =>
      set((now) => {
        const except = new Set(now.except);
        if (!except.delete(index)) except.add(index);
        return { ...now, except };
      }),
    expandAll: () => setAll(true),
    collapseAll: () => setAll(false),
  };
}

function TimelineRows({
  store,
  session,
  count,
  rowIndexes,
  expanded,
}: {
  store: SessionStore;
  session: SessionShape;
  count: number;
  rowIndexes: number[] | null;
  expanded: ExpandedRows;
}) {
  const scroller = useRef<HTMLDivElement>(null);
  const isFollowing = useRef(true);
  /** The row that was opened or closed last: until something new happens, it is what the person looks at. */
  const touched = useRef<number | null>(null);
  const [seen, setSeen] = useState(count);
  const toRowIndex = (item: number) => rowIndexes?.[item] ?? item;
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW_HEIGHT,
    overscan: 20,
    getItemKey: toRowIndex,
  });
  const items = virtual.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? 0;
  const { connection } = useObservable(app);
  useEffect(() => {
    if (!rowIndexes && connection === "open") void store.loadRange(first, last);
  }, [store, rowIndexes, first, last, connection]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows off the screen have other heights when all change
  useEffect(() => {
    virtual.measure();
  }, [expanded.generation]);

  const scrollToEnd = () => {
    const box = scroller.current;
    if (box) box.scrollTop = box.scrollHeight;
    setSeen(count);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: only something new ends the look at a row
  useEffect(() => {
    touched.current = null;
    if (isFollowing.current) scrollToEnd();
  }, [count]);
  const height = virtual.getTotalSize();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a row that has grown moves the end
  useEffect(() => {
    if (touched.current !== null) {
      const row = scroller.current?.querySelector(`[data-place="${touched.current}"]`);
      row?.scrollIntoView({ block: "nearest" });
    } else if (isFollowing.current) {
      scrollToEnd();
    }
  }, [height]);

  const handleScroll = () => {
    const box = scroller.current;
    if (!box) return;
    const atEnd = box.scrollHeight - box.scrollTop - box.clientHeight < ROW_HEIGHT;
    if (atEnd) setSeen(count);
    if (atEnd || touched.current === null) isFollowing.current = atEnd;
  };
  const toggle = (index: number) => {
    touched.current = index;
    expanded.toggle(index);
  };
  const clearTouched = () => {
    touched.current = null;
  };
  const newCount = count - seen;
  return (
    <div className="rows-frame">
      <div
        ref={scroller}
        className="rows scroll"
        onScroll={handleScroll}
        onWheel={clearTouched}
        onPointerDown={clearTouched}
      >
        <div className="rows-all" style={{ height }}>
          {items.map((item) => {
            const row = store.getRow(toRowIndex(item.index));
            return (
              <div
                key={item.key}
                ref={virtual.measureElement}
                data-index={item.index}
                data-place={toRowIndex(item.index)}
                className="rows-item"
                style={{ transform: `translateY(${item.start}px)` }}
              >
                {row ? (
                  <RowLine
                    session={session}
                    row={row}
                    open={expanded.isOpen(row.index)}
                    onToggle={() => toggle(row.index)}
                  />
                ) : (
                  <div className="row-hole" />
                )}
              </div>
            );
          })}
        </div>
      </div>
      {newCount > 0 ? (
        <button
          type="button"
          className="button small new-rows"
          onClick={() => {
            touched.current = null;
            isFollowing.current = true;
            virtual.scrollToIndex(count - 1, { align: "end" });
            setSeen(count);
          }}
        >
          <Icon name="down" />
          {newCount} new
        </button>
      ) : null}
    </div>
  );
}

import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useMemo, useRef, useState } from "react";
import type { SessionShape } from "../api/types";
import { app } from "../state/app";
import type { SessionStore } from "../state/session";
import { useWatched } from "../state/store";
import { Icon } from "../ui/Icon";
import { RowLine } from "./RowLine";
import { FILTERS, type Filter, shows } from "./rows";
import "./timeline.css";

const ROW = 28;

/** All that has happened, oldest first; follows the end while the end is on the screen. */
export function Timeline({ store, session }: { store: SessionStore; session: SessionShape }) {
  useWatched(store);
  const [filter, setFilter] = useState<Filter>("all");
  const [find, setFind] = useState("");
  const opening = useOpening();
  const filtered = filter !== "all" || find.trim() !== "";
  const version = store.current();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the rows are those of this version
  const places = useMemo(
    () =>
      filtered
        ? store
            .known()
            .filter((row) => shows(row, filter, find.trim()))
            .map((row) => row.index)
        : null,
    [filtered, filter, find, version],
  );
  useEffect(() => {
    if (filtered && session.rows) void store.all();
  }, [filtered, store, session.rows]);
  const count = places ? places.length : session.rows;

  return (
    <section className="timeline" aria-label="Timeline">
      <div className="timeline-bar">
        <div className="filters" role="radiogroup" aria-label="Show">
          {FILTERS.map((one) => (
            // biome-ignore lint/a11y/useSemanticElements: a segment is a button to look at
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
            value={find}
            data-shortcut="find"
            onChange={(event) => setFind(event.target.value)}
          />
        </label>
        {filtered ? (
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
          onClick={opening.all}
        >
          <Icon name="expand" />
        </button>
        <button
          type="button"
          className="button plain small icon-only"
          title="Collapse all"
          aria-label="Collapse all"
          onClick={opening.none}
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
          <p>No row matches.</p>
          <button
            type="button"
            className="button"
            onClick={() => {
              setFilter("all");
              setFind("");
            }}
          >
            Show all
          </button>
        </div>
      ) : (
        <Rows store={store} session={session} count={count} places={places} opening={opening} />
      )}
    </section>
  );
}

type Opening = ReturnType<typeof useOpening>;

/** Which rows are open: all or none, but for some. */
function useOpening() {
  const [state, set] = useState({ all: false, except: new Set<number>(), generation: 0 });
  const whole = (all: boolean) => set((now) => ({ all, except: new Set<number>(), generation: now.generation + 1 }));
  return {
    /** Grows when all rows were opened or closed. */
    generation: state.generation,
    isOpen: (index: number) => state.all !== state.except.has(index),
    toggle: (index: number) =>
      set((now) => {
        const except = new Set(now.except);
        if (!except.delete(index)) except.add(index);
        return { ...now, except };
      }),
    all: () => whole(true),
    none: () => whole(false),
  };
}

function Rows({
  store,
  session,
  count,
  places,
  opening,
}: {
  store: SessionStore;
  session: SessionShape;
  count: number;
  places: number[] | null;
  opening: Opening;
}) {
  const scroller = useRef<HTMLDivElement>(null);
  const following = useRef(true);
  /** The row that was opened or closed last: until something new happens, it is what the person looks at. */
  const touched = useRef<number | null>(null);
  const [seen, setSeen] = useState(count);
  const place = (item: number) => places?.[item] ?? item;
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => ROW,
    overscan: 20,
    getItemKey: place,
  });
  const items = virtual.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? 0;
  const { connection } = useWatched(app);
  useEffect(() => {
    if (!places && connection === "open") void store.need(first, last);
  }, [store, places, first, last, connection]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: rows off the screen have other heights when all change
  useEffect(() => {
    virtual.measure();
  }, [opening.generation]);

  const toEnd = () => {
    const box = scroller.current;
    if (box) box.scrollTop = box.scrollHeight;
    setSeen(count);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: only something new ends the look at a row
  useEffect(() => {
    touched.current = null;
    if (following.current) toEnd();
  }, [count]);
  const height = virtual.getTotalSize();
  // biome-ignore lint/correctness/useExhaustiveDependencies: a row that has grown moves the end
  useEffect(() => {
    if (touched.current !== null) {
      const row = scroller.current?.querySelector(`[data-place="${touched.current}"]`);
      row?.scrollIntoView({ block: "nearest" });
    } else if (following.current) {
      toEnd();
    }
  }, [height]);

  const scrolled = () => {
    const box = scroller.current;
    if (!box) return;
    const atEnd = box.scrollHeight - box.scrollTop - box.clientHeight < ROW;
    if (atEnd) setSeen(count);
    if (atEnd || touched.current === null) following.current = atEnd;
  };
  const toggle = (index: number) => {
    touched.current = index;
    opening.toggle(index);
  };
  const moved = () => {
    touched.current = null;
  };
  const fresh = count - seen;
  return (
    <div className="rows-frame">
      <div ref={scroller} className="rows scroll" onScroll={scrolled} onWheel={moved} onPointerDown={moved}>
        <div className="rows-all" style={{ height }}>
          {items.map((item) => {
            const row = store.row(place(item.index));
            return (
              <div
                key={item.key}
                ref={virtual.measureElement}
                data-index={item.index}
                data-place={place(item.index)}
                className="rows-item"
                style={{ transform: `translateY(${item.start}px)` }}
              >
                {row ? (
                  <RowLine
                    session={session}
                    row={row}
                    open={opening.isOpen(row.index)}
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
      {fresh > 0 ? (
        <button
          type="button"
          className="button small new-rows"
          onClick={() => {
            touched.current = null;
            following.current = true;
            virtual.scrollToIndex(count - 1, { align: "end" });
            setSeen(count);
          }}
        >
          <Icon name="down" />
          {fresh} new
        </button>
      ) : null}
    </div>
  );
}

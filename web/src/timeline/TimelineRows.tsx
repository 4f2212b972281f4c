import { elementScroll, useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState } from "react";
import type { SessionRecord } from "../api/types";
import { app } from "../state/app";
import { useObservable } from "../state/observable";
import type { SessionStore } from "../state/sessionStore";
import { useTimeTravel } from "../timetravel/timeTravelContext";
import { Icon } from "../ui/Icon";
import { EndFollower, ROW_HEIGHT, type ScrollTarget } from "./endFollower";
import type { ExpandedRows } from "./expandedRows";
import { RowLine } from "./RowLine";
import { type Density, findDepth, findFullRows } from "./rowFormat";
import type { RowTarget } from "./rowNavigation";

const SCROLL_KEYS: ReadonlySet<string> = new Set(["ArrowUp", "ArrowDown", "PageUp", "PageDown", "Home", "End"]);

/** A line and two lines of result, before it is measured. */
const COMFORTABLE_HEIGHT = 68;

/** The rows of the timeline; only those on the screen are rendered. `rowIndexes` selects rows, null means all. */
export function TimelineRows({
  store,
  session,
  count,
  rowIndexes,
  expanded,
  density,
  target = null,
}: {
  store: SessionStore;
  session: SessionRecord;
  count: number;
  rowIndexes: number[] | null;
  expanded: ExpandedRows;
  density: Density;
  /** The row that was asked for last, which is brought into view. */
  target?: RowTarget | null;
}) {
  const scroller = useRef<HTMLDivElement>(null);
  const [follower] = useState(() => new EndFollower());
  const [seenCount, setSeenCount] = useState(count);
  const toRowIndex = (item: number) => rowIndexes?.[item] ?? item;
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => (density === "compact" ? ROW_HEIGHT : COMFORTABLE_HEIGHT),
    overscan: 20,
    getItemKey: toRowIndex,
    // The virtualizer computes from the position of the last scroll event, so it would undo a scroll after it.
    scrollToFn: (offset, options, instance) => {
      const box = scroller.current;
      if (!box || follower.hasUnseenScroll(box)) return;
      elementScroll(offset, options, instance);
      follower.recordPosition(box);
    },
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
  }, [expanded.generation, density]);

  const scrollTo = (target: ScrollTarget, box: HTMLElement) => {
    if (target === null) return;
    if (target === "end") {
      box.scrollTop = box.scrollHeight;
      setSeenCount(count);
    } else {
      box.querySelector(`[data-row-index="${target.row}"]`)?.scrollIntoView({ block: "nearest" });
    }
    follower.recordPosition(box);
  };
  const scrollToItem = (index: number, align: "start" | "end") => {
    if (scroller.current) follower.recordPosition(scroller.current);
    virtual.scrollToIndex(index, { align });
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the number of rows matters
  useEffect(() => {
    if (scroller.current) scrollTo(follower.changeCount(scroller.current), scroller.current);
  }, [count]);
  const height = virtual.getTotalSize();
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the height matters
  useEffect(() => {
    if (scroller.current) scrollTo(follower.changeHeight(scroller.current), scroller.current);
  }, [height]);

  // biome-ignore lint/correctness/useExhaustiveDependencies: once for each request
  useEffect(() => {
    if (!target || rowIndexes) return;
    follower.toggleRow(target.index);
    scrollToItem(target.index, "start");
  }, [target, rowIndexes === null]);

  // A lower window must not hide the newest row.
  useEffect(() => {
    const showEnd = () => {
      const box = scroller.current;
      if (!box || follower.changeHeight(box) !== "end") return;
      box.scrollTop = box.scrollHeight;
      follower.recordPosition(box);
    };
    window.addEventListener("resize", showEnd);
    return () => window.removeEventListener("resize", showEnd);
  }, [follower]);

  const handleScroll = () => {
    if (scroller.current && follower.scroll(scroller.current)) setSeenCount(count);
  };
  const toggle = (index: number) => {
    follower.toggleRow(index);
    expanded.toggle(index);
  };
  const releaseRow = () => follower.releaseRow();
  const newCount = count - seenCount;
  const timeTravel = useTimeTravel();
  const fullRows = findFullRows(session.row_count, (index) => {
    const row = store.getRow(index);
    return row && timeTravel?.isUndone(row) ? undefined : row;
  });
  return (
    <div className="rows-frame">
      {/* biome-ignore lint/a11y/noStaticElementInteractions: it only notices how the box is scrolled */}
      <div
        ref={scroller}
        className="rows scroll"
        onScroll={handleScroll}
        onWheel={releaseRow}
        onPointerDown={releaseRow}
        onKeyDown={(event) => {
          if (SCROLL_KEYS.has(event.key)) releaseRow();
        }}
      >
        <div className="rows-all" style={{ height }}>
          {items.map((item) => {
            const row = store.getRow(toRowIndex(item.index));
            return (
              <div
                key={item.key}
                ref={virtual.measureElement}
                data-index={item.index}
                data-row-index={toRowIndex(item.index)}
                className={`rows-item${target?.index === toRowIndex(item.index) ? " is-target" : ""}`}
                style={{ transform: `translateY(${item.start}px)` }}
              >
                {row ? (
                  <RowLine
                    session={session}
                    row={row}
                    open={expanded.isOpen(row.index)}
                    density={density}
                    depth={findDepth(row, (index) => store.getRow(index))}
                    isFull={fullRows.has(row.index)}
                    onToggle={() => toggle(row.index)}
                    onResize={() => follower.toggleRow(row.index)}
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
            follower.followEnd();
            scrollToItem(count - 1, "end");
            setSeenCount(count);
          }}
        >
          <Icon name="down" />
          {newCount} new
        </button>
      ) : null}
    </div>
  );
}

import { useVirtualizer } from "@tanstack/react-virtual";
import { useEffect, useRef, useState } from "react";
import type { SessionInfo } from "../api/types";
import { app } from "../state/app";
import { useObservable } from "../state/observable";
import type { SessionStore } from "../state/sessionStore";
import { Icon } from "../ui/Icon";
import { EndFollower, ROW_HEIGHT, type ScrollTarget } from "./endFollower";
import type { ExpandedRows } from "./expandedRows";
import { RowLine } from "./RowLine";
import { type Density, findDepth, findFullRows } from "./rowFormat";

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
}: {
  store: SessionStore;
  session: SessionInfo;
  count: number;
  rowIndexes: number[] | null;
  expanded: ExpandedRows;
  density: Density;
}) {
  const scroller = useRef<HTMLDivElement>(null);
  const [follower] = useState(() => new EndFollower());
  const [seen, setSeen] = useState(count);
  const toRowIndex = (item: number) => rowIndexes?.[item] ?? item;
  const virtual = useVirtualizer({
    count,
    getScrollElement: () => scroller.current,
    estimateSize: () => (density === "compact" ? ROW_HEIGHT : COMFORTABLE_HEIGHT),
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
  }, [expanded.generation, density]);

  const scrollTo = (target: ScrollTarget) => {
    const box = scroller.current;
    if (target === null || !box) return;
    if (target === "end") {
      box.scrollTop = box.scrollHeight;
      setSeen(count);
    } else {
      box.querySelector(`[data-row-index="${target.row}"]`)?.scrollIntoView({ block: "nearest" });
    }
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the number of rows matters
  useEffect(() => scrollTo(follower.changeCount()), [count]);
  const height = virtual.getTotalSize();
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the height matters
  useEffect(() => scrollTo(follower.changeHeight()), [height]);

  // A lower window must not hide the newest row.
  useEffect(() => {
    const showEnd = () => {
      if (follower.changeHeight() === "end" && scroller.current)
        scroller.current.scrollTop = scroller.current.scrollHeight;
    };
    window.addEventListener("resize", showEnd);
    return () => window.removeEventListener("resize", showEnd);
  }, [follower]);

  const handleScroll = () => {
    if (scroller.current && follower.scroll(scroller.current)) setSeen(count);
  };
  const toggle = (index: number) => {
    follower.toggleRow(index);
    expanded.toggle(index);
  };
  const releaseRow = () => follower.releaseRow();
  const newCount = count - seen;
  const fullRows = findFullRows(session.row_count, (index) => store.getRow(index));
  return (
    <div className="rows-frame">
      <div
        ref={scroller}
        className="rows scroll"
        onScroll={handleScroll}
        onWheel={releaseRow}
        onPointerDown={releaseRow}
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
                className="rows-item"
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

import { type ReactNode, useEffect, useLayoutEffect, useRef } from "react";
import { app } from "../state/app";
import { useObservable } from "../state/observable";
import type { PagedList } from "../state/pagedList";
import { formatCount } from "../ui/format";
import { getOwnRow, listRowLinks, moveFocus } from "./rowFocus";

/** How far below the visible rows the next page is loaded. */
const LOAD_AHEAD = "600px";

/**
 * A table that loads its next page when its end comes near. The arrow keys move between the links of the rows, and Enter
 * opens one, as a click anywhere on the row does.
 */
export function PagedTable<Item>({
  list,
  name,
  unit,
  columns,
  children,
}: {
  list: PagedList<Item>;
  /** What is in the table, for screen readers. */
  name: string;
  /** What an entry is called, in the line at the end. */
  unit: string;
  columns: readonly (readonly [className: string, title: string])[];
  children: ReactNode;
}) {
  useObservable(list);
  const scroller = useRef<HTMLDivElement>(null);
  const end = useRef<HTMLDivElement>(null);
  const { items, isLoading, isComplete, error } = list;
  const isWaiting = isLoading || isComplete || error !== "";
  // biome-ignore lint/correctness/useExhaustiveDependencies: after each page, look again whether the end is near
  useEffect(() => {
    if (isWaiting || !end.current) return;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) void list.loadMore();
      },
      { root: scroller.current, rootMargin: LOAD_AHEAD },
    );
    observer.observe(end.current);
    return () => observer.disconnect();
  }, [list, isWaiting, items.length]);
  useLayoutEffect(() => {
    const box = scroller.current;
    if (!box) return;
    box.scrollTop = list.scrollTop;
    return () => {
      list.scrollTop = box.scrollTop;
    };
  }, [list]);
  useRowKeys(scroller);
  return (
    <div ref={scroller} className="paged scroll">
      {/* biome-ignore lint/a11y/useKeyWithClickEvents: the link in each row is its keyboard access */}
      <table
        className="table"
        aria-label={name}
        onClick={(event) => {
          const target = event.target as HTMLElement;
          const isText = window.getSelection()?.isCollapsed === false;
          if (!isText && !target.closest("a, button, input, dialog, .menu")) getOwnRow(target)?.click();
        }}
      >
        <thead>
          <tr>
            {columns.map(([className, title]) => (
              <th key={className} className={className} scope="col">
                {className === "column-menu" ? <span className="sr-only">{title}</span> : title}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>{children}</tbody>
      </table>
      <div ref={end} className="paged-end quiet" aria-live="polite">
        <EndLine list={list} unit={unit} />
      </div>
    </div>
  );
}

function EndLine<Item>({ list, unit }: { list: PagedList<Item>; unit: string }) {
  const countText = formatCount(list.items.length, unit);
  if (list.error) {
    return (
      <span className="paged-error" role="alert">
        {countText} shown. The rest could not be loaded: {list.error}
        <button type="button" className="button small" onClick={() => list.open()}>
          Try again
        </button>
      </span>
    );
  }
  if (list.isComplete) return <>{countText}</>;
  return <>{countText} shown, loading more…</>;
}

/** Loads the list while its page is shown, and what has failed again after a reconnect. */
export function useOpenList<Item, List extends PagedList<Item>>(list: List): List {
  const { connection } = useObservable(app);
  useObservable(list);
  // biome-ignore lint/correctness/useExhaustiveDependencies: a reconnect is a reason to try again
  useEffect(() => list.open(), [list, connection === "open"]);
  return list;
}

/** Arrow keys move between rows; from anywhere but a field they start at the first row. */
function useRowKeys(scroller: { current: HTMLElement | null }): void {
  useEffect(() => {
    const handleKey = (event: KeyboardEvent) => {
      if (event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || !scroller.current) return;
      if (document.querySelector("dialog[open], [role=menu]")) return;
      const links = listRowLinks(scroller.current);
      if (moveFocus(links, event.key, event.target)) event.preventDefault();
    };
    document.addEventListener("keydown", handleKey);
    return () => document.removeEventListener("keydown", handleKey);
  }, [scroller]);
}

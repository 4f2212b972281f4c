/** Where the arrow keys go in a table whose rows are opened by a link. */

const ROW_LINK = "a[data-row-link]";
const JUMPS: Record<string, (at: number, last: number) => number> = {
  ArrowDown: (at, last) => Math.min(at + 1, last),
  ArrowUp: (at) => Math.max(at - 1, 0),
  Home: () => 0,
  End: (_, last) => last,
};

export function listRowLinks(table: HTMLElement): HTMLElement[] {
  return [...table.querySelectorAll<HTMLElement>(ROW_LINK)];
}

/** The link of the row that contains an element. */
export function getOwnRow(element: HTMLElement): HTMLElement | null {
  return element.closest("tr")?.querySelector<HTMLElement>(ROW_LINK) ?? null;
}

/** Moves the focus if the key moves between rows; returns whether it did. */
export function moveFocus(links: HTMLElement[], key: string, target: EventTarget | null): boolean {
  const jump = JUMPS[key];
  if (!jump || !links.length || !(target instanceof HTMLElement)) return false;
  const row = getOwnRow(target);
  const isOutside = !row && (target === document.body || (key === "ArrowDown" && target.matches("input[type=search]")));
  if (!row && !isOutside) return false;
  const next = links[row ? jump(links.indexOf(row), links.length - 1) : 0];
  next?.focus({ preventScroll: true });
  next?.closest("tr")?.scrollIntoView({ block: "nearest" });
  return true;
}

/** Decides which branches of a tree are expanded at first. */

import type { Json } from "./lossless";

/** A list or object with more items is shown in groups of this many. */
export const CHUNK = 100;
/** How many rows are rendered at first; more would block the page. */
export const MAX_OPEN_ROWS = 300;

/**
 * The branches among the items, which are at `depth`, that are expanded at first: outer ones before inner ones. Below
 * `openLevels`, they are those with which the tree has no more rows than `fittingRows`.
 */
export function findOpenBranches(
  items: readonly Json[],
  depth: number,
  openLevels: number,
  fittingRows = 0,
): ReadonlySet<Json> {
  const open = new Set<Json>();
  let rowCount = items.length;
  let level = items;
  for (let at = depth; level.length > 0 && (at < openLevels || rowCount < fittingRows); at += 1) {
    const maxRows = at < openLevels ? MAX_OPEN_ROWS : fittingRows;
    const next: Json[] = [];
    for (const branch of level) {
      const inside = Array.isArray(branch) ? branch : branch instanceof Map ? [...branch.values()] : [];
      const inner = countRows(inside.length);
      if (inner === 0 || rowCount + inner > maxRows) {
        continue;
      }
      rowCount += inner;
      open.add(branch);
      if (inside.length <= CHUNK) {
        next.push(...inside);
      }
    }
    level = next;
  }
  return open;
}

/** The range of each row when so many items are shown: one item, or a group of hundred, ten thousand and so on. */
export function findGroupSize(itemCount: number): number {
  let size = 1;
  while (itemCount / size > CHUNK) {
    size *= CHUNK;
  }
  return size;
}

function countRows(itemCount: number): number {
  return Math.ceil(itemCount / findGroupSize(itemCount));
}

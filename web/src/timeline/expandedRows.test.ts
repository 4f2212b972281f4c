import { expect, test } from "vitest";
import { COLLAPSED, type Expansion, isExpanded, setAllExpanded, toggleRow } from "./expandedRows";

function listExpanded(expansion: Expansion): number[] {
  return [0, 1, 2].filter((index) => isExpanded(expansion, index));
}

test("rows start collapsed, and one that is toggled twice is as before", () => {
  expect(listExpanded(COLLAPSED)).toEqual([]);
  expect(listExpanded(toggleRow(COLLAPSED, 1))).toEqual([1]);
  expect(listExpanded(toggleRow(toggleRow(COLLAPSED, 1), 1))).toEqual([]);
});

test("when all are expanded, so is a row that comes later; single ones can be collapsed", () => {
  const all = setAllExpanded(COLLAPSED, true);

  expect(isExpanded(all, 9999)).toBe(true);
  expect(listExpanded(toggleRow(all, 1))).toEqual([0, 2]);
});

test("expanding or collapsing all forgets the single ones, and heights are measured again", () => {
  const some = toggleRow(setAllExpanded(toggleRow(COLLAPSED, 1), true), 2);

  expect(listExpanded(setAllExpanded(some, false))).toEqual([]);
  expect(setAllExpanded(some, false).generation).toBe(2);
  expect(toggleRow(some, 0).generation).toBe(some.generation);
});

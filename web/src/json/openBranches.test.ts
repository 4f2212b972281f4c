import { expect, test } from "vitest";
import { type Json, parse } from "./lossless";
import { findOpenBranches, MAX_OPEN_ROWS } from "./openBranches";

function listNumbers(count: number): Json[] {
  return Array.from({ length: count }, (_, number) => number);
}

/** How many rows a tree has at first, with branches of at most 100 items. */
function countRows(value: Json, open: ReadonlySet<Json>): number {
  const items = Array.isArray(value) ? value : value instanceof Map ? [...value.values()] : [];
  return 1 + (open.has(value) ? items.reduce<number>((sum, item) => sum + countRows(item, open), 0) : 0);
}

test("a small tree is expanded to its levels", () => {
  const value = parse('{"a": {"b": {"c": 1}}, "d": [1, [2]], "e": {}}') as Map<string, Json>;
  const open = findOpenBranches([value], 0, 2);

  expect([...open]).toEqual([value, value.get("a"), value.get("d")]);
  expect(findOpenBranches([value], 0, 0).size).toBe(0);
});

test("a wide tree is expanded only as far as its rows can be rendered", () => {
  const value = Array.from({ length: 100 }, () => Array.from({ length: 50 }, () => listNumbers(50)));
  const open = findOpenBranches([value], 0, 50);

  expect(open.has(value)).toBe(true);
  expect(open.has(value[0] as Json)).toBe(true);
  expect(open.has(value[99] as Json)).toBe(false);
  expect(countRows(value, open)).toBeGreaterThan(MAX_OPEN_ROWS / 2);
  expect(countRows(value, open)).toBeLessThanOrEqual(MAX_OPEN_ROWS);
});

test("a list of many items is expanded into groups, which are closed", () => {
  const value = Array.from({ length: 10_000 }, () => listNumbers(2));

  expect([...findOpenBranches([value], 0, 2)]).toEqual([value]);
});

test("the items of a group are expanded like those of a list", () => {
  const items = Array.from({ length: 100 }, () => listNumbers(5));

  expect(findOpenBranches(items, 1, 2).size).toBe((MAX_OPEN_ROWS - 100) / 5);
  expect(findOpenBranches(items, 2, 2).size).toBe(0);
});

test("a small tree is expanded below its levels as far as it fits", () => {
  const inner = new Map<string, Json>([["sku", "1"]]);
  const outer: Json = [[inner], 2];

  expect(findOpenBranches([outer], 0, 1).has(inner)).toBe(false);
  expect(findOpenBranches([outer], 0, 1, 10).has(inner)).toBe(true);
  expect(findOpenBranches([outer], 0, 1, 4).has(inner)).toBe(false);
});

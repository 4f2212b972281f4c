import { expect, test } from "vitest";
import { placed } from "./layout";

const CHAIN: [number, number][] = [
  [0, 1],
  [1, 2],
];

test("what follows stands below", () => {
  const { across, at } = placed({ places: [0, 1, 2], edges: CHAIN });
  const heights = at.map(([, , y]) => y);
  expect(across).toBe(false);
  expect(heights).toEqual(heights.toSorted((one, other) => one - other));
});

test("where many follow one, time goes to the right and they stand in their order", () => {
  const places = Array.from({ length: 12 }, (_, index) => index);
  const { across, at } = placed({ places, edges: places.slice(1).map((to): [number, number] => [0, to]) });
  const heights = at.slice(1).map(([, , y]) => y);
  expect(across).toBe(true);
  expect(heights).toEqual(heights.toSorted((one, other) => one - other));
});

test("a cycle is placed too", () => {
  const { at } = placed({ places: [0, 1, 2], edges: [...CHAIN, [2, 0]] });
  expect(at.every(([, x, y]) => Number.isFinite(x) && Number.isFinite(y))).toBe(true);
});

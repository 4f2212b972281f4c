import { expect, test } from "vitest";
import { layoutGraph } from "./layout";

const CHAIN: [number, number][] = [
  [0, 1],
  [1, 2],
];

test("what follows stands below", () => {
  const { isHorizontal, positions } = layoutGraph({ indexes: [0, 1, 2], edges: CHAIN });
  const heights = positions.map(([, , y]) => y);
  expect(isHorizontal).toBe(false);
  expect(heights).toEqual(heights.toSorted((one, other) => one - other));
});

test("where many follow one, time goes to the right and they stand in their order", () => {
  const indexes = Array.from({ length: 12 }, (_, index) => index);
  const { isHorizontal, positions } = layoutGraph({
    indexes,
    edges: indexes.slice(1).map((to): [number, number] => [0, to]),
  });
  const heights = positions.slice(1).map(([, , y]) => y);
  expect(isHorizontal).toBe(true);
  expect(heights).toEqual(heights.toSorted((one, other) => one - other));
});

test("a cycle is placed too", () => {
  const { positions } = layoutGraph({ indexes: [0, 1, 2], edges: [...CHAIN, [2, 0]] });
  expect(positions.every(([, x, y]) => Number.isFinite(x) && Number.isFinite(y))).toBe(true);
});

import { expect, test } from "vitest";
import { chooseViewport, layoutGraph } from "./layout";

const CHAIN: [number, number][] = [
  [0, 1],
  [1, 2],
];

test("what follows stands below", () => {
  const { isHorizontal, positions } = layoutGraph({ indexes: [0, 1, 2], edges: CHAIN });
  const heights = positions.map(([, , y]) => y);
  expect(isHorizontal).toBe(false);
  expect(heights).toEqual(heights.toSorted((left, right) => left - right));
});

test("where many follow one, time goes to the right and they stand in their order", () => {
  const indexes = Array.from({ length: 12 }, (_, index) => index);
  const { isHorizontal, positions } = layoutGraph({
    indexes,
    edges: indexes.slice(1).map((to): [number, number] => [0, to]),
  });
  const heights = positions.slice(1).map(([, , y]) => y);
  expect(isHorizontal).toBe(true);
  expect(heights).toEqual(heights.toSorted((left, right) => left - right));
});

test("a cycle is placed too", () => {
  const { positions } = layoutGraph({ indexes: [0, 1, 2], edges: [...CHAIN, [2, 0]] });
  expect(positions.every(([, x, y]) => Number.isFinite(x) && Number.isFinite(y))).toBe(true);
});

const PANE = { width: 900, height: 560 };

function arrange(length: number) {
  const indexes = Array.from({ length }, (_, index) => index);
  return layoutGraph({ indexes, edges: indexes.slice(1).map((to): [number, number] => [to - 1, to]) });
}

test("a small graph is shown whole", () => {
  const layout = arrange(3);
  const { y, zoom } = chooseViewport(layout, PANE);
  const bottoms = layout.positions.map(([, , top]) => (top + 58) * zoom + y);
  expect(zoom).toBe(1);
  expect(Math.max(...bottoms)).toBeLessThan(PANE.height);
});

test("a long graph opens at its first event, large enough to read", () => {
  const layout = arrange(30);
  const { x, y, zoom } = chooseViewport(layout, PANE);
  const [, left, top] = layout.positions[0] ?? [0, 0, 0];
  expect(zoom).toBe(1);
  expect(top * zoom + y).toBeGreaterThan(0);
  expect(top * zoom + y).toBeLessThan(60);
  expect(left * zoom + x).toBeGreaterThan(0);
  expect((left + 236) * zoom + x).toBeLessThan(PANE.width);
});

test("a long graph opens at the event that it is about", () => {
  const layout = arrange(30);
  const { x, y } = chooseViewport(layout, PANE, 20);
  const [, left, top] = layout.positions.find(([index]) => index === 20) ?? [0, 0, 0];
  expect(top + 29 + y).toBeCloseTo(PANE.height / 2);
  expect(left + 118 + x).toBeCloseTo(PANE.width / 2);
});

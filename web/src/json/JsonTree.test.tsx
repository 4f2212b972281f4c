import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { JsonTextTree, JsonTree } from "./JsonTree";
import { ExactNumber, type Json } from "./lossless";

const MEGABYTE = 1_000_000;

function nest(levels: number): Json {
  return levels === 0 ? 0 : Array.from({ length: 20 }, () => nest(levels - 1));
}

test("a small value is shown with all its levels that are open at first", () => {
  const page = renderToStaticMarkup(<JsonTextTree text='{"a": {"b": 5.0}, "c": [[1]]}' />);

  expect(page).toMatch(/>a<.*>b<.*>5\.0<.*>c<.*>0<.*\[1\]/);
  expect(page.match(/aria-expanded="true"/g)).toHaveLength(3);
});

test.each<[string, Json]>([
  ["a key", new Map([["k".repeat(MEGABYTE), 1]])],
  ["a number", [new ExactNumber("1".repeat(MEGABYTE))]],
  ["a text", ["x".repeat(MEGABYTE)]],
  ["a text of many lines", ["x\n".repeat(MEGABYTE)]],
])("%s of a megabyte is shown shortened", (_name, value) => {
  const page = renderToStaticMarkup(<JsonTree value={value} />);

  expect(page).toContain("…");
  expect(page.length).toBeLessThan(5_000);
});

test.each<[string, Json]>([
  ["wide", Array.from({ length: 100_000 }, () => nest(1))],
  ["deep and wide", nest(4)],
  ["an object of many keys", new Map(Array.from({ length: 50_000 }, (_, key) => [`key ${key}`, key]))],
])("of a value that is %s, few rows are shown at first", (_name, value) => {
  const page = renderToStaticMarkup(<JsonTree value={value} openLevels={50} />);

  const rowCount = page.match(/class="jt-row"/g)?.length;
  expect(rowCount).toBeGreaterThan(1);
  expect(rowCount).toBeLessThanOrEqual(300);
});

import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import { MAX_AT_ONCE_LENGTH, Markdown } from "./Markdown";
import { MarkdownAtOnce, MarkdownNodes } from "./MarkdownNodes";
import { MAX_SLICE_WEIGHT, type NodeSlice, sliceNodes } from "./nodeSlices";
import { type MarkdownNode, parseMarkdown } from "./parseMarkdown";

const MIXED = [
  "# Title\n\nA paragraph with **bold**, `code`, a [link][1] and a note[^1].",
  "3. three\n4. four\n   - inside\n   - [x] done\n\n> a quote\n> of two lines",
  "| a | b |\n|---|---|\n| 1 | 2 |\n\n```js\nlet x = 1;\n```\n\n<b onclick='x()'>HTML</b> and ![i](http://x.test/i.png)",
  "[1]: javascript:alert(1)\n[^1]: The note.",
].join("\n\n");
const LONG_LIST = Array.from({ length: 600 }, (_, index) => `${index + 1}. item ${index}`).join("\n");

/** The parts of a slice; those of a container are in slices too. */
function listNodes(slice: NodeSlice): MarkdownNode[] {
  if ("nodes" in slice) return slice.nodes;
  return [{ ...slice.container, children: sliceNodes(slice.container.children).flatMap(listNodes) } as MarkdownNode];
}

function countSmallSlices(nodes: MarkdownNode[]): number {
  return sliceNodes(nodes).reduce(
    (sum, slice) => sum + ("nodes" in slice ? 1 : countSmallSlices(slice.container.children)),
    0,
  );
}

test("Markdown that was parsed before is rendered as if it were parsed at once", () => {
  const atOnce = renderToStaticMarkup(<MarkdownAtOnce text={MIXED} />);
  expect(renderToStaticMarkup(<MarkdownNodes nodes={structuredClone(parseMarkdown(MIXED))} />)).toBe(atOnce);
  expect(atOnce).not.toMatch(/<a |<img |<b |javascript:/);
});

test("the slices are all of it, in order", () => {
  const nodes = parseMarkdown(`${MIXED}\n\n${LONG_LIST}\n\n${"A paragraph.\n\n".repeat(200)}The end.`);
  expect(sliceNodes(nodes).flatMap(listNodes)).toEqual(nodes);
});

test("long Markdown is many slices, and so is a single long list", () => {
  expect(countSmallSlices(parseMarkdown("A paragraph.\n\n".repeat(600)))).toBeGreaterThan(2);
  expect(sliceNodes(parseMarkdown(LONG_LIST))).toHaveLength(1);
  expect(countSmallSlices(parseMarkdown(LONG_LIST))).toBeGreaterThan(2);
});

test("a slice holds no more than it should", () => {
  for (const slice of sliceNodes(parseMarkdown("*a* b\n\n".repeat(400)))) {
    const nodes = listNodes(slice);
    expect(renderToStaticMarkup(<MarkdownNodes nodes={nodes} />).match(/<\w/g)?.length).toBeLessThan(MAX_SLICE_WEIGHT);
  }
});

test("short Markdown is formatted at once, longer Markdown elsewhere, and very long Markdown is text", () => {
  expect(renderToStaticMarkup(<Markdown text="# Title" />)).toBe('<div class="markdown"><h1>Title</h1></div>');
  expect(renderToStaticMarkup(<Markdown text={"*a* ".repeat(MAX_AT_ONCE_LENGTH)} />)).toContain("Formatting 16 KB…");
  expect(renderToStaticMarkup(<Markdown text={"*a* ".repeat(100_000)} />)).toMatch(/too long.*400,000 characters/);
});

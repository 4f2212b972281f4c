import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import type { DisplayValue } from "../api/types";
import { ValueText } from "./ValueText";

function render(format: DisplayValue["format"], text: string, isRaw = false): string {
  const value: DisplayValue = { label: "result", format, text, size: text.length, is_complete: true };
  return renderToStaticMarkup(<ValueText value={value} isRaw={isRaw} />);
}

test("Markdown is formatted, unless it is raw", () => {
  expect(render("markdown", "# Title")).toContain("<h1>Title</h1>");
  expect(render("markdown", "# Title", true)).toBe("<pre># Title</pre>");
});

test("long Markdown is text that can be formatted, and very long Markdown is text", () => {
  expect(render("markdown", "*a* ".repeat(10_000))).toMatch(/Format it.*Text of 40,000 characters/);
  expect(render("markdown", "*a* ".repeat(100_000))).toMatch(/too long to be formatted.*Text of 400,000 characters/);
  expect(render("markdown", "*a* ".repeat(100_000))).not.toContain("Format it");
});

test("short JSON is a tree at once, long JSON is read first", () => {
  expect(render("json", '{"a": 1}')).toContain("jt-number");
  expect(render("json", JSON.stringify("x".repeat(5_000_000)))).toMatch(/^<p[^>]*role="status">Reading 5.0 MB…<\/p>$/);
});

test("a short text is one element, a long one a window", () => {
  expect(render("text", "one\ntwo")).toBe("<pre>one\ntwo</pre>");
  expect(render("json", "{broken")).toBe('<pre class="jt jt-plain">{broken</pre>');
  const long = render("text", "line\n".repeat(100_000));
  expect(long).toContain("Text of 500,000 characters");
  expect(long.length).toBeLessThan(1_000);
});

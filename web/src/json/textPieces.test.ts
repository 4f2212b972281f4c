import { expect, test } from "vitest";
import { MAX_PIECE_LENGTH, MAX_PIECE_LINES, splitIntoPieces } from "./textPieces";

const LINES = Array.from({ length: 100_000 }, (_, number) => `line ${number}`).join("\n");

function listTexts(text: string): string[] {
  return splitIntoPieces(text).map(({ start, end }) => text.slice(start, end));
}

test.each([
  ["nothing", ""],
  ["a line", "x"],
  ["100,000 lines", LINES],
  ["a line of 2 MB", "x".repeat(2_000_000)],
  ["empty lines", "\n".repeat(1_000)],
  ["a long line between short ones", `a\n${"x".repeat(10_000)}\nb\n`],
  ["characters of two halves", "😀".repeat(10_001)],
])("the pieces of %s are the text, and none is large", (_name, text) => {
  const texts = listTexts(text);

  expect(texts.join("") === text).toBe(true);
  for (const piece of texts) {
    expect(piece.length).toBeGreaterThan(0);
    expect(piece.length).toBeLessThanOrEqual(MAX_PIECE_LENGTH);
    expect(piece.split("\n").length - 1).toBeLessThanOrEqual(MAX_PIECE_LINES);
  }
});

test("pieces end at line breaks", () => {
  expect(listTexts(LINES).every((piece, index, all) => index === all.length - 1 || piece.endsWith("\n"))).toBe(true);
  expect(splitIntoPieces(LINES).reduce((sum, { lineCount }) => sum + lineCount, 0)).toBe(100_000);
});

test("a line is not cut within a character", () => {
  for (const piece of listTexts(`x${"😀".repeat(10_000)}`)) {
    expect(piece).toMatch(/^x?(?:😀)+$/);
  }
});

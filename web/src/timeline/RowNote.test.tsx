import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import type { TimelineRow } from "../api/types";
import { sampleRow, sampleSession } from "../testing/samples";
import { closeDraft, isNoteKey, openDraft } from "./noteDraft";
import { RowLine } from "./RowLine";
import { matchesFilter } from "./rowFormat";

function render(row: Partial<TimelineRow>, open = false): string {
  const look = { open, density: "compact" as const, isFull: false, onToggle: () => {}, onResize: () => {} };
  return renderToStaticMarkup(<RowLine session={sampleSession()} row={sampleRow(row)} {...look} />);
}

test("a row with a note has a mark, and the text when it is expanded", () => {
  const note = "why 4?\n<b>not 5</b>";

  expect(render({ note })).toMatch(/row-noted" title="why 4\?.*<\/button>/s);
  expect(render({ note })).not.toContain("row-note-text");
  expect(render({ note }, true)).toContain("why 4?\n&lt;b&gt;not 5&lt;/b&gt;</p>");
  expect(render({ note }, true)).toContain('aria-label="Edit note: call, row 1"');
  expect(render({})).not.toContain("row-noted");
});

test("every row offers a note, by its own name", () => {
  expect(render({ kind: "user", index: 2 })).toContain('aria-label="Note: user, row 3"');
});

test("rows are found by their notes", () => {
  expect(matchesFilter(sampleRow({ note: "Why four?" }), "all", "why")).toBe(true);
  expect(matchesFilter(sampleRow({ note: "" }), "all", "why")).toBe(false);
});

test("what was typed and not saved is there when the editor opens again", () => {
  const typed = { text: "half a th", isOpen: true };

  expect(openDraft(null, "saved")).toEqual({ text: "saved", isOpen: true });
  expect(closeDraft(typed, "saved")).toEqual({ text: "half a th", isOpen: false });
  expect(openDraft(closeDraft(typed, "saved"), "saved")).toEqual(typed);
});

test("nothing is kept of an editor in which nothing was changed", () => {
  expect(closeDraft({ text: "saved\n", isOpen: true }, "saved")).toBeNull();
  expect(closeDraft(null, "saved")).toBeNull();
});

test("only the letter alone opens the editor", () => {
  const plain = { key: "n", ctrlKey: false, metaKey: false, altKey: false, repeat: false };

  expect(isNoteKey(plain)).toBe(true);
  for (const change of [{ key: "N" }, { key: "m" }, { ctrlKey: true }, { metaKey: true }, { repeat: true }]) {
    expect(isNoteKey({ ...plain, ...change })).toBe(false);
  }
});

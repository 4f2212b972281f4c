import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import type { DisplayValue, RowDetail, SessionRecord, TimelineRow } from "../api/types";
import { samplePending, sampleRow, sampleSession } from "../testing/samples";
import { findArguments, formatRow, RowActions } from "./RowActions";

function sampleDetail(...values: [string, string][]): RowDetail {
  const shown = values.map(
    ([label, text]): DisplayValue => ({ label, text, format: "text", size: text.length, is_complete: true }),
  );
  return { index: 0, values: shown, media: [] };
}

function render(row: Partial<TimelineRow>, session: Partial<SessionRecord>): string {
  return renderToStaticMarkup(<RowActions session={sampleSession(session)} row={sampleRow(row)} />);
}

test("a call can be made again while a turn waits", () => {
  const waiting: Partial<SessionRecord> = { status: "waiting", pending: [samplePending()] };

  expect(render({ kind: "call", subject: "add" }, waiting)).toContain('aria-label="Call again: add, row 1"');
  expect(render({ kind: "call", subject: "add" }, { pending: [] })).not.toContain("Call again");
  expect(render({ kind: "answer" }, waiting)).not.toContain("Call again");
});

test("every row can be copied: its result, or what it says", () => {
  expect(render({ kind: "user" }, {})).toContain('aria-label="Copy: user, row 1"');
  expect(formatRow(sampleDetail(["arguments", "{}"], ["result", "4"]))).toBe("4");
  expect(formatRow(sampleDetail(["reason", "closed"]))).toBe("closed");
});

test("the arguments are those that the model gave", () => {
  expect(findArguments(sampleDetail(["arguments", '{\n"a": 1\n}'], ["arguments the tool got", '{"a":2}']))).toBe(
    '{"a":1}',
  );
  expect(findArguments(sampleDetail(["question", "{}"]))).toBe("{}");
});

import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import type { TimelineRow } from "../api/types";
import { sampleRow, sampleSession } from "../testing/samples";
import { RowLine } from "./RowLine";
import type { Density } from "./rowFormat";

function render(row: Partial<TimelineRow>, density: Density = "compact"): string {
  const look = { open: false, density, isFull: false, onToggle: () => undefined, onResize: () => undefined };
  return renderToStaticMarkup(<RowLine session={sampleSession()} row={sampleRow(row)} {...look} />);
}

test("in comfortable density the result is below the line, in compact density it is in the line", () => {
  const call = { subject: "add", summary: "a=2 b=2", result: "4" };

  expect(render(call, "comfortable")).toMatch(/<\/button>.*row-preview.*→.*4/);
  expect(render(call)).toMatch(/→.*4.*<\/button>/);
  expect(render(call)).not.toContain("row-preview");
});

test("a result that is longer than its beginning can be shown in full", () => {
  expect(render({ subject: "big", result: "xxx…" }, "comfortable")).toContain('aria-label="Show all of big, row 1"');
  expect(render({ subject: "big", result: "xxx" }, "comfortable")).not.toContain("Show all");
});

test("a call shows its arguments, its result and how long it took", () => {
  const page = render({ subject: "add", summary: "a=2 b=2", result: "4", duration_ms: 12 });

  expect(page).toMatch(/add.*a=2 b=2.*→.*4.*12 ms.*you/);
});

test("a failed call is an error with its reason", () => {
  const page = render({ status: "failed", subject: "lookup", result: "LookupError: nobody is not known" });

  expect(page).toMatch(/tone-error.*Tool Error.*✕.*LookupError: nobody is not known/);
});

test("a simulated result names its rule, after the result", () => {
  expect(render({ result: "503", rule: "flaky", player: "simulated" })).toMatch(/503.*simulated by flaky/);
});

test("a note about a model call says what the rule did, without a mark that repeats its name", () => {
  const page = render({ kind: "note", subject: "model fault", summary: "busy: api_error 503", rule: "busy" });

  expect(page).toContain("busy: api_error 503");
  expect(page).not.toContain("simulated by");
});

test("a call has one mark for how it differs from what was offered: of an unknown tool, that it is unknown", () => {
  expect(render({ force: true })).toContain(">sent anyway<");
  const unknown = render({ force: true, is_unknown_tool: true, status: "failed" });
  expect(unknown).toContain(">unknown tool<");
  expect(unknown).not.toContain("sent anyway");
  expect(render({})).not.toMatch(/unknown tool|sent anyway/);
});

test("a running call can be cancelled, and shows no result yet", () => {
  const page = render({ status: "running", call_id: "c1" });

  expect(page).toMatch(/role="timer".*Cancel/);
  expect(page).not.toContain("row-duration");
});

test.each<[string, Partial<TimelineRow>]>([
  ["a call that is done", { call_id: "c1" }],
  ["a running call without an id", { status: "running", call_id: "" }],
  ["a running row that is no call", { status: "running", kind: "answer", call_id: "c1" }],
])("%s cannot be cancelled", (_name, row) => {
  expect(render(row)).not.toContain("Cancel");
});

test("text from tools is text", () => {
  expect(render({ result: "<img src=x onerror=alert(1)>" })).not.toContain("<img");
});

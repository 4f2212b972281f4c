import { renderToStaticMarkup } from "react-dom/server";
import { expect, test } from "vitest";
import type { Row } from "../api/types";
import { sampleRow, sampleSession } from "../testing/samples";
import { RowLine } from "./RowLine";

function render(row: Partial<Row>): string {
  const session = sampleSession();
  return renderToStaticMarkup(
    <RowLine session={session} row={sampleRow(row)} open={false} onToggle={() => undefined} />,
  );
}

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

test("a running call can be cancelled, and shows no result yet", () => {
  const page = render({ status: "running", call_id: "c1" });

  expect(page).toMatch(/role="timer".*Cancel/);
  expect(page).not.toContain("row-duration");
});

test.each<[string, Partial<Row>]>([
  ["a call that is done", { call_id: "c1" }],
  ["a running call without an id", { status: "running", call_id: "" }],
  ["a running row that is no call", { status: "running", kind: "answer", call_id: "c1" }],
])("%s cannot be cancelled", (_name, row) => {
  expect(render(row)).not.toContain("Cancel");
});

test("text from tools is text", () => {
  expect(render({ result: "<img src=x onerror=alert(1)>" })).not.toContain("<img");
});

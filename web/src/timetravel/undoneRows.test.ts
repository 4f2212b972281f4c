import { expect, test } from "vitest";
import { sampleRow, sampleTimeTravel } from "../testing/samples";
import { canGoBackTo, describeOrigin, isUndone } from "./undoneRows";

test("a row is undone if the event that it shows is in a range that no longer counts", () => {
  const undone: [number, number][] = [
    [4, 6],
    [9, 9],
  ];

  expect([3, 4, 6, 7, 9, 10].map((seq) => isUndone(sampleRow({ seq }), undone))).toEqual([
    false,
    true,
    true,
    false,
    true,
    false,
  ]);
});

test("a session goes back to user messages and to what models decided", () => {
  expect(canGoBackTo(sampleRow({ kind: "user", turn_id: "" }))).toBe(true);
  expect(canGoBackTo(sampleRow({ kind: "call", turn_id: "t1" }))).toBe(true);
  expect(canGoBackTo(sampleRow({ kind: "note", turn_id: "" }))).toBe(false);
});

test("the row of a fork names the session that it comes from, while that exists", () => {
  const row = sampleRow({ kind: "note", subject: "forked", summary: "from session 1-2-3" });
  const forked_from = { session_id: "1-2-3", name: "2+2?" };

  expect(describeOrigin(row, sampleTimeTravel({ forked_from }))).toContain("“2+2?”");
  expect(describeOrigin(row, sampleTimeTravel())).toBe("from session 1-2-3");
  expect(describeOrigin(sampleRow({ summary: "a=2" }), sampleTimeTravel({ forked_from }))).toBe("a=2");
});

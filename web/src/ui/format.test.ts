import { expect, test } from "vitest";
import { formatClock, formatDateTime, formatDuration, formatUtcTime } from "./format";

const NOON = new Date(2026, 10, 16, 12, 4, 5).getTime() / 1000;

test("a duration has the unit that suits it", () => {
  expect([0.4, 320, 1_250, 59_949, 62_000, 3_720_000].map(formatDuration)).toEqual([
    "<1 ms",
    "320 ms",
    "1.3 s",
    "59.9 s",
    "1 min 2 s",
    "1 h 2 min",
  ]);
});

test("times are those of the reader's clock", () => {
  expect(formatClock(NOON)).toBe("12:04:05");
  expect(formatDateTime(NOON)).toBe("16 Nov 2026, 12:04:05");
});

test("times of a simulated world say their time zone, which is never the reader's", () => {
  expect(formatUtcTime(1_728_975_600)).toBe("15 Oct 2024, 07:00:00 UTC");
});

test("a time that no calendar has is a text, not an error that ends the page", () => {
  for (const seconds of [Number.NaN, Number.POSITIVE_INFINITY, 1e300]) {
    expect(formatClock(seconds)).toBe("invalid time");
    expect(formatDateTime(seconds)).toBe("invalid time");
    expect(formatUtcTime(seconds)).toBe("invalid time");
  }
});

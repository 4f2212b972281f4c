import { expect, test } from "vitest";
import { formatClock, formatDateTime, formatUtcTime } from "./format";

const NOON = new Date(2026, 10, 16, 12, 4, 5).getTime() / 1000;

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

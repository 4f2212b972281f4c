import { expect, test } from "vitest";
import { fromPickerValue, toPickerValue } from "./dates";

test("what is picked is written as the format wants it", () => {
  expect(fromPickerValue("date", "2026-01-31")).toBe("2026-01-31");
  expect(fromPickerValue("time", "10:20")).toBe("10:20:00");
  expect(fromPickerValue("time", "10:20:30")).toBe("10:20:30");
  expect(fromPickerValue("date-time", "2026-07-01T10:20")).toMatch(/^2026-07-01T10:20:00[+-]\d\d:\d\d$/);
  expect(fromPickerValue("date-time", "2026-07-01T10:20:30")).toMatch(/^2026-07-01T10:20:30[+-]\d\d:\d\d$/);
});

test("a picked moment is the moment that the person sees on the clock", () => {
  const picked = fromPickerValue("date-time", "2026-07-01T10:20");

  expect(new Date(picked).getTime()).toBe(new Date(2026, 6, 1, 10, 20).getTime());
});

test("the picker begins with as much of the text as it can hold", () => {
  expect(toPickerValue("date", "2026-01-31")).toBe("2026-01-31");
  expect(toPickerValue("date", "tomorrow")).toBe("");
  expect(toPickerValue("date-time", "2026-01-31T10:20:30.5+01:00")).toBe("2026-01-31T10:20:30");
});

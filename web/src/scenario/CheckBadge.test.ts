import { expect, test } from "vitest";
import { describeCheck } from "./CheckBadge";

test("the badge says what holds, why, and what to do", () => {
  const properties = [
    { name: "solvable", holds: true, reason: "The oracle passes.", next_step: "Nothing." },
    { name: "not trivially passed", holds: false, reason: "Doing nothing passes.", next_step: "Expect a change." },
    { name: "deterministic", holds: null, reason: "", next_step: "" },
  ];
  const check = { status: "trivially passed", properties, notes: ["A note."], problem: "" };
  expect(describeCheck({ ...check, error_count: 1, warning_count: 2 }, "")).toBe(
    [
      "solvable: yes. The oracle passes.",
      "not trivially passed: no. Doing nothing passes. Expect a change.",
      "deterministic: unknown.",
      "lint: 1 error, 2 warnings",
      "A note.",
    ].join("\n"),
  );
});

test("a check of before says its result", () => {
  expect(describeCheck(null, "ok")).toContain("Solvable");
  expect(describeCheck(null, "not solvable")).toBe("not solvable");
});

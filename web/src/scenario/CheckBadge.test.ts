import { expect, test } from "vitest";
import type { ScenarioCheck } from "../api/types";
import { describeCheck } from "./CheckBadge";

test("the badge says what holds, why, and what to do", () => {
  const finding = { code: "c", line: 1, column: null, path: "", file: "", message: "", advice: "", event_index: null };
  const check: ScenarioCheck = {
    scenario_id: "s",
    seed: 0,
    runs: [],
    status: "trivially passed",
    solvable: { holds: true, reason: "The oracle passes.", next_step: "Nothing." },
    not_trivial: { holds: false, reason: "Doing nothing passes.", next_step: "Expect a change." },
    deterministic: { holds: null, reason: "", next_step: "" },
    notes: ["A note."],
    problem: "",
    findings: (["error", "warning", "warning"] as const).map((severity) => ({ ...finding, severity })),
  };
  expect(describeCheck(check, "")).toBe(
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

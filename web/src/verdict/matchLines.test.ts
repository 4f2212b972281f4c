import { expect, test } from "vitest";
import type { VerdictTurn } from "../api/types";
import { drawMatchLine, listMatchLines, splitTool } from "./matchLines";

function expectEvents(...partners: [number | null, "matched" | "wrong" | "missing"][]): Pick<VerdictTurn, "expected"> {
  return {
    expected: partners.map(([partner, status], place) => ({
      differences: [],
      event_id: `e${place}`,
      kind: "AGENT",
      nearest: "",
      partner,
      rule: "",
      status,
      summary: "",
      tool: "Emails__send_email",
    })),
  };
}

test("a line joins what was expected with what happened", () => {
  expect(listMatchLines(expectEvents([1, "matched"], [null, "missing"], [0, "wrong"]))).toEqual([
    { from: 0, to: 1, isMatch: true },
    { from: 2, to: 0, isMatch: false },
  ]);
});

test("a line runs from the middle of one event to the middle of the other", () => {
  expect(drawMatchLine({ from: 0, to: 2, isMatch: true })).toBe("M0 14 C50 14 50 70 100 70");
});

test.each([
  ["EmailClientV2__send_email", { app: "EmailClientV2", name: "send_email" }],
  ["wait", { app: "", name: "wait" }],
])("the tool %s is split", (tool, parts) => {
  expect(splitTool(tool)).toEqual(parts);
});

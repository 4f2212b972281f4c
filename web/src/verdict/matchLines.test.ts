import { expect, test } from "vitest";
import type { JudgedEvent } from "../api/types";
import { drawMatchLine, listMatchLines, splitTool } from "./matchLines";

function expectEvent(status: JudgedEvent["status"], partner: string | null): JudgedEvent {
  const nearest = { event_id: partner ?? "", tool: "", seconds: 0, arguments: {}, note: "" };
  return {
    agent_event_id: status === "matched" ? partner : null,
    arguments: {},
    differences: [],
    event_id: "e",
    kind: "AGENT",
    nearest: status === "matched" ? null : nearest,
    rule: "",
    status,
    tool: "Emails__send_email",
  };
}

test("a line joins what was expected with what happened", () => {
  const expected = [expectEvent("matched", "y"), expectEvent("missing", "x"), expectEvent("wrong", "x")];
  expect(listMatchLines(expected, [{ event_id: "x" }, { event_id: "y" }])).toEqual([
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

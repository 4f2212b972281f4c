import { expect, test } from "vitest";
import type { PendingRequest, SessionStatus } from "../api/types";
import { samplePending, sampleRow, sampleSession } from "../testing/samples";
import { describeExport, describeRequest, describeStatus, isClosed, labelAgent, STATUSES } from "./sessionStatus";

test.each<[PendingRequest["kind"][], string]>([
  [["model"], "Your turn"],
  [["consent"], "Needs consent"],
  [["consent", "model"], "Your turn"],
  [["credential", "consent"], "Needs a credential"],
  [["input"], "Needs input"],
  [["tool"], "Needs a result"],
  [["consent", "tool"], "Needs a result"],
  [["user"], "Waiting for a message"],
  [[], "Waiting for you"],
])("a session that waits for %j says %j", (kinds, label) => {
  const pending = kinds.map((kind) => samplePending({ kind }));

  expect(describeStatus(sampleSession({ status: "waiting", pending }))).toBe(label);
});

test.each<[SessionStatus, string]>([
  ["new", "Waiting for a message"],
  ["running", "Running"],
  ["interrupted", "Interrupted"],
  ["closed", "Closed"],
  ["cancelled", "Cancelled"],
  ["broken", "Broken"],
])("a session that is %s says %j, whatever was pending", (status, label) => {
  expect(describeStatus(sampleSession({ status, pending: [samplePending()] }))).toBe(label);
});

test("a request is labelled by the display name of the session's agent, and by the name of one of its parts", () => {
  const session = sampleSession({ agent_name: "ClinicDesk", agent_label: "Clinic desk" });

  expect(labelAgent(session, samplePending({ agent_name: "ClinicDesk" }))).toBe("Clinic desk");
  expect(labelAgent(session, samplePending({ agent_name: "searcher" }))).toBe("searcher");
});

test("what a request is about is named with its tool, if it has one", () => {
  expect(describeRequest(samplePending())).toBe("Model turn");
  expect(describeRequest(samplePending({ kind: "consent", tool_name: "refund" }))).toBe("Consent to refund");
  expect(describeRequest(samplePending({ kind: "credential" }))).toBe("Credential");
  expect(describeRequest(samplePending({ kind: "tool", tool_name: "add" }))).toBe("Result of add");
});

test("closed sessions can only be read", () => {
  expect(STATUSES.filter(isClosed)).toEqual(["interrupted", "closed", "cancelled", "broken"]);
});

test("a session with an end can be exported", () => {
  const possible = STATUSES.filter((status) => describeExport(status, []).isPossible);

  expect(possible).toEqual(["done", "interrupted", "closed", "cancelled"]);
});

test("the answered turns before a stopped one can be exported, and the hint says what is left out", () => {
  const message = sampleRow({ kind: "user" });
  const answer = sampleRow({ kind: "answer" });
  const stopped = describeExport("stopped", [message, answer, message, sampleRow()]);

  expect(stopped).toEqual({
    isPossible: true,
    hint: "Export the answered turns; the one that was stopped is left out",
  });
  expect(describeExport("waiting", [message, answer, message])).toEqual({
    isPossible: true,
    hint: "Export the answered turns; the one that is not answered yet is left out",
  });
  expect(describeExport("waiting", [message])).toEqual({ isPossible: false, hint: "Send the final response first" });
  expect(describeExport("broken", [message, answer, message]).isPossible).toBe(false);
  expect(describeExport("stopped", [message, sampleRow()]).hint).toContain("No turn was answered");
});

test("a session whose beginning is not loaded may have answered turns", () => {
  const rows = [sampleRow({ index: 200 }), sampleRow({ index: 201 })];

  expect(describeExport("waiting", rows, 202)).toEqual({
    isPossible: true,
    hint: "Export the turns that were answered",
  });
  expect(describeExport("waiting", rows, 2).isPossible).toBe(false);
  expect(describeExport("broken", rows, 202).isPossible).toBe(false);
});

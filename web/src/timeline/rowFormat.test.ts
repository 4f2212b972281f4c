import { expect, test } from "vitest";
import type { TimelineRow } from "../api/types";
import { sampleRow, sampleSession } from "../testing/samples";
import {
  describePlayer,
  describeResponder,
  describeRow,
  type Filter,
  findDepth,
  findFullRows,
  findOtherAgent,
  formatWorldTime,
  matchesFilter,
} from "./rowFormat";

test.each<[Partial<TimelineRow>, string, string]>([
  [{ kind: "call", status: "done" }, "call", "call"],
  [{ kind: "call", status: "running" }, "call", "call"],
  [{ kind: "call", status: "failed" }, "Tool Error", "error"],
  [{ kind: "call", status: "confirm" }, "needs consent", "consent"],
  [{ kind: "call", status: "denied" }, "denied", "quiet"],
  [{ kind: "call", status: "cancelled" }, "cancelled", "quiet"],
  [{ kind: "user" }, "user", "user"],
  [{ kind: "answer" }, "answer", "answer"],
  [{ kind: "request", status: "confirm" }, "asks user", "consent"],
  [{ kind: "request", status: "done" }, "asked", "consent"],
  [{ kind: "error" }, "failed", "error"],
  [{ kind: "world" }, "world", "world"],
  [{ kind: "world", status: "failed" }, "world", "error"],
])("a row %j is labelled %s in the colour of %s", (row, label, tone) => {
  expect(describeRow(sampleRow(row))).toMatchObject({ label, tone });
});

test("only errors have the colour of errors", () => {
  const kinds: TimelineRow["kind"][] = [
    "user",
    "call",
    "commentary",
    "answer",
    "artifact",
    "consent",
    "request",
    "note",
    "world",
  ];

  expect(kinds.filter((kind) => describeRow(sampleRow({ kind })).tone === "error")).toEqual([]);
});

test.each<[Partial<TimelineRow>, string]>([
  [{ kind: "call", player: "human" }, "you"],
  [{ kind: "answer", player: "real" }, "model"],
  [{ kind: "call", player: "real" }, ""],
  [{ kind: "call", player: "real", turn_id: "t1" }, "model"],
  [{ kind: "call", player: "recorded" }, "replay"],
  [{ kind: "call", player: "simulated" }, "simulated"],
  [{ kind: "call", player: "script" }, "script"],
  [{ kind: "user", player: "human" }, ""],
  [{ kind: "world", player: "human" }, ""],
])("who played %j is shown as %j", (row, player) => {
  expect(describePlayer(sampleRow(row))).toBe(player);
});

test.each<[Partial<TimelineRow>, string | undefined]>([
  [{ kind: "call" }, undefined],
  [{ kind: "call", rule: "no network" }, "simulated by no network"],
  [{ kind: "call", rule: "r", responder: "human", status: "running" }, "by a person"],
  [{ kind: "call", rule: "r", responder: "human", status: "done" }, "by a person"],
  [{ kind: "note", rule: "r" }, undefined],
])("who responds to %j in place of the tool is shown as %j", (row, label) => {
  expect(describeResponder(sampleRow(row))?.label).toBe(label);
});

test.each<[number | null, string]>([
  [null, ""],
  [0, "t+0 s"],
  [3600, "t+3,600 s"],
  [1.25, "t+1.3 s"],
])("the world's time %j is shown as %j", (world_seconds, text) => {
  expect(formatWorldTime(sampleRow({ world_seconds }))).toBe(text);
});

const ROWS: Record<string, TimelineRow> = {
  question: sampleRow({ kind: "user", summary: "What is 2+2?" }),
  call: sampleRow({ kind: "call", subject: "add", summary: "a=2 b=2", result: "4" }),
  failure: sampleRow({ kind: "call", status: "failed", subject: "lookup", result: "nobody is not known" }),
  crash: sampleRow({ kind: "error", summary: "The run failed" }),
  consent: sampleRow({ kind: "consent", subject: "send" }),
  answer: sampleRow({ kind: "answer", summary: "The answer is 4" }),
  email: sampleRow({ kind: "world", subject: "Emails__send_email_to_user", world_seconds: 60 }),
};

function listMatches(filter: Filter, query = ""): string[] {
  return Object.keys(ROWS).filter((name) => matchesFilter(ROWS[name] as TimelineRow, filter, query));
}

test("each filter shows its kinds of rows", () => {
  expect(listMatches("all")).toEqual(Object.keys(ROWS));
  expect(listMatches("calls")).toEqual(["call", "failure", "consent"]);
  expect(listMatches("messages")).toEqual(["question", "answer"]);
  expect(listMatches("errors")).toEqual(["failure", "crash"]);
  expect(listMatches("world")).toEqual(["email"]);
});

test("a query finds rows that contain all its words anywhere, in any case", () => {
  expect(listMatches("all", "ADD 4")).toEqual(["call"]);
  expect(listMatches("all", "4 answer")).toEqual(["answer"]);
  expect(listMatches("all", "tool error")).toEqual(["failure"]);
  expect(listMatches("messages", "add")).toEqual([]);
});

test("an agent is named where it is not the session's own", () => {
  const session = sampleSession({ agent_name: "ClinicDesk" });

  expect(findOtherAgent(sampleRow({ agent_name: "Billing" }), session)).toBe("Billing");
  expect(findOtherAgent(sampleRow({ agent_name: "ClinicDesk" }), session)).toBe("");
  expect(findOtherAgent(sampleRow({ kind: "user", agent_name: "Billing" }), session)).toBe("");
});

test("the newest result and the latest message are shown in full", () => {
  const rows = [
    sampleRow({ kind: "user" }),
    sampleRow({ kind: "answer" }),
    sampleRow({ kind: "user" }),
    sampleRow(),
    sampleRow({ status: "failed" }),
    sampleRow({ status: "running" }),
  ];

  expect(findFullRows(rows.length, (index) => rows[index])).toEqual(new Set([2, 4]));
  expect(findFullRows(1, () => undefined)).toEqual(new Set());
});

test("a row is as deep as the tools and branches that its agent runs in", () => {
  const rows = [
    sampleRow({ index: 0, call_id: "outer" }),
    sampleRow({ index: 1, call_id: "inner", parent_call_id: "outer" }),
    sampleRow({ index: 2, kind: "commentary", parent_call_id: "inner", branch: "a.b" }),
    sampleRow({ index: 3, kind: "answer", branch: "twins.left" }),
    sampleRow({ index: 4, parent_call_id: "not loaded" }),
  ];

  expect(rows.map((row) => findDepth(row, (index) => rows[index]))).toEqual([0, 1, 3, 1, 1]);
});

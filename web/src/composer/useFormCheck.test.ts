import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createDraft, draftFromJson } from "../form";
import { installFetch, installWindow, type SentRequest, settle } from "../testing/fakeBrowser";
import { renderHook } from "../testing/renderHook";
import { ADD } from "../testing/samples";
import { filterVisibleProblems, toFormProblem, useFormCheck } from "./useFormCheck";

let sent: SentRequest[];

beforeEach(() => {
  vi.useFakeTimers();
  installWindow();
  sent = installFetch(() => ({ body: [] }));
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("the server checks the value as it would be sent", () => {
  renderHook(() => useFormCheck("s1", "t1")).checkNow("call", "add", draftFromJson('{"a":1.0}'), ADD.parameters);

  expect(sent).toEqual([
    {
      method: "POST",
      path: "/api/sessions/s1/check?turn_id=t1",
      body: { target: "call", tool_name: "add", value: '{"a":1.0}' },
    },
  ]);
});

test("while somebody types, only the last value is checked", () => {
  const check = renderHook(() => useFormCheck("s1", null));
  check.checkSoon("message", "", draftFromJson('{"a":1}'), ADD.parameters);
  vi.advanceTimersByTime(200);
  check.checkSoon("message", "", draftFromJson('{"a":12}'), ADD.parameters);
  vi.advanceTimersByTime(200);
  expect(sent).toEqual([]);
  vi.advanceTimersByTime(50);

  expect(sent.map((request) => request.body)).toEqual([{ target: "message", tool_name: "", value: '{"a":12}' }]);
});

test("a check that waits is dropped with the form", () => {
  const check = renderHook(() => useFormCheck("s1", null));
  check.checkSoon("message", "", draftFromJson("{}"), ADD.parameters);
  check.clear();
  vi.runAllTimers();

  expect(sent).toEqual([]);
});

test("what cannot be read is not sent to be checked", () => {
  const broken = { ...draftFromJson('{"a":1}'), texts: { "/a": "1x" } };
  renderHook(() => useFormCheck("s1", "t1")).checkNow("call", "add", broken, ADD.parameters);

  expect(sent).toEqual([]);
});

test("an older check does not hide the problems that are shown since", async () => {
  const check = renderHook(
    () => useFormCheck("s1", "t1"),
    (first) => {
      first.checkNow("call", "add", draftFromJson('{"a":1}'), ADD.parameters);
      first.showProblems([{ path: "a", message: "is no number" }]);
    },
  );
  await settle();

  expect(check.problems).toEqual([{ path: "a", message: "is no number" }]);
});

test("problems show at fields that were touched, and all of them after an attempt to send", () => {
  const problems = [
    { path: "items[0].name", message: "is missing" },
    { path: "total", message: "must be positive" },
  ];
  const draft = { ...createDraft({}), touched: { "/items/0/name": true } };

  expect(filterVisibleProblems(problems, draft, false).map((problem) => problem.path)).toEqual(["items[0].name"]);
  expect(filterVisibleProblems(problems, draft, true)).toEqual(problems);
  expect(filterVisibleProblems(problems, null, false)).toEqual([]);
});

test("what a check reports about its only call is about the form, whatever was collected before it", () => {
  expect(toFormProblem({ path: "a", message: "is missing", call_index: 0 })).toEqual({
    path: "a",
    message: "is missing",
  });
});

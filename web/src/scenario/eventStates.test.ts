import { expect, test } from "vitest";
import { findLatestEvent, formatEventTime, formatStateCounts, type GraphEvent } from "./eventStates";

const EVENT: GraphEvent = {
  index: 0,
  event_id: "ask",
  kind: "user",
  expected_seconds: 1,
  turn: 0,
  depends_on: [],
  app: "",
  function: "",
  summary: "",
};

const RUN: GraphEvent[] = [
  { ...EVENT, index: 0, state: "happened", seconds: 0 },
  { ...EVENT, index: 1, state: "due", seconds: 30 },
  { ...EVENT, index: 2, state: "failed", seconds: 12 },
  { ...EVENT, index: 3, state: "later", seconds: null },
];

test("an event shows when it happened or is due, and one of a scenario when it is expected", () => {
  expect(RUN.map(formatEventTime)).toEqual(["+0 s", "+30 s", "+12 s", ""]);
  expect(formatEventTime(EVENT)).toBe("+1 s");
});

test("states are counted in their order, without those that no event is in", () => {
  expect(formatStateCounts(RUN)).toBe("1 happened, 1 failed, 1 due, 1 later");
  expect(formatStateCounts([])).toBe("");
});

test("the graph of a run opens where it is: at what happened last", () => {
  expect(findLatestEvent(RUN)).toBe(2);
  expect(findLatestEvent([EVENT])).toBe(null);
});

import { expect, test } from "vitest";
import { parse, stringify } from "../json/lossless";
import { searchState } from "./stateSearch";

const STATE = parse('{"folders":{"INBOX":[{"id":"a","subject":"Lunch"},{"id":"b","subject":"Rent"}]},"size":5.0}');

function find(text: string): string {
  return stringify(searchState(STATE, text).value);
}

test("a text is found in values, with the way to it", () => {
  expect(find("rent")).toBe('{"folders":{"INBOX":{"1":{"subject":"Rent"}}}}');
});

test("a key that matches is shown with all it holds", () => {
  expect(find("size")).toBe('{"size":5.0}');
  expect(searchState(STATE, "subject").count).toBe(2);
});

test("what is nowhere is nothing", () => {
  expect(searchState(STATE, "nowhere")).toEqual({ value: new Map(), count: 0, isTruncated: false });
});

test("more than two hundred places are cut, and it is said", () => {
  const many = parse(JSON.stringify(Array.from({ length: 500 }, (_, index) => `item ${index}`)));
  const found = searchState(many, "item");
  expect([found.count, found.isTruncated]).toEqual([200, true]);
});

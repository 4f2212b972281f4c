import { expect, test } from "vitest";
import { parse, stringify } from "../json/lossless";
import { searchApps, searchState } from "./stateSearch";

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
  const result = searchState(many, "item");
  expect([result.count, result.isTruncated]).toEqual([200, true]);
});

test("all apps are searched, and those without a match are left out", () => {
  const result = searchApps(
    [
      ["Emails", STATE],
      ["Contacts", parse('{"contacts":{"1":{"name":"Gus"}}}')],
      ["Chats", parse('["rent is due"]')],
    ],
    "rent",
  );
  expect(result.map(({ app, count }) => [app, count])).toEqual([
    ["Emails", 1],
    ["Chats", 1],
  ]);
});

test("the limit is one for all apps", () => {
  const many = parse(JSON.stringify(Array.from({ length: 150 }, (_, index) => `item ${index}`)));
  const result = searchApps(
    [
      ["One", many],
      ["Two", many],
      ["Three", many],
    ],
    "item",
  );
  expect(result.map(({ app, count, isTruncated }) => [app, count, isTruncated])).toEqual([
    ["One", 150, false],
    ["Two", 50, true],
  ]);
});

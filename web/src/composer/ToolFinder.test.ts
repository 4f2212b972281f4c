import { expect, test } from "vitest";
import { ADD, LOOKUP } from "../testing/samples";
import { findInventedName, findTools } from "./ToolFinder";

const TOOLS = [LOOKUP, ADD, { ...LOOKUP, name: "remove", description: "Undoes add." }];

test.each([
  ["", ["lookup", "add", "remove"]],
  ["add", ["add", "remove"]],
  ["finds patient", ["lookup"]],
  ["nothing", []],
])("a search for %j finds %j: the order is the agent's, tools that are named so come first", (query, names) => {
  expect(findTools(TOOLS, query).map((tool) => tool.name)).toEqual(names);
});

test.each([
  ["", ""],
  ["add", ""],
  [" ad ", "ad"],
  ["finds patient", ""],
  ["2+2", ""],
])("of the search %j, the name %j can be called although it is not offered", (query, name) => {
  expect(findInventedName(TOOLS, query)).toBe(name);
});

import { expect, test } from "vitest";
import type { RuleInfo } from "../api/types";
import { listToolPlayers, withToolPlayer } from "./toolPlayer";

const RULE: RuleInfo = {
  actions: [],
  conditions: [],
  effects: [],
  enabled: true,
  fired_count: 0,
  name: "r",
  profiles: [],
  seat: "tool",
  tools: ["add"],
  tried_count: 0,
};

test.each([
  [[], false, ["rules the tool itself"]],
  [[RULE], false, ["rules as the rules say", "real the tool itself"]],
  [[RULE], true, ["rules as the rules say"]],
  [[{ ...RULE, seat: "model" as const }], false, ["rules the tool itself"]],
])("with the rules %j, real tools refused: %j, a tool can be played by %j or a mock", (rules, refuses, expected) => {
  const environment = { rules, refuses_real_tools: refuses, configured_mocks: {} };
  const listed = listToolPlayers(environment).map(({ value, label }) => `${value} ${label}`);

  expect(listed).toEqual([...expected, "schema mock: schema", "stateful mock: stateful", "human a person"]);
});

test("mocks with a model or a recording are offered with what the session names for them", () => {
  const configured = { llm: "gemini-2.5-flash", replay: "golden.evalset.json" };
  const environment = { rules: [RULE], refuses_real_tools: true, configured_mocks: configured };
  const listed = listToolPlayers(environment).map(({ value, label }) => `${value} ${label}`);

  expect(listed.slice(-3)).toEqual([
    "llm mock: llm (gemini-2.5-flash)",
    "replay mock: replay (golden.evalset.json)",
    "human a person",
  ]);
});

test("a choice replaces the one before, and the rules take a tool back", () => {
  expect(withToolPlayer({ add: "real" }, "add", "human")).toEqual({ add: "human" });
  expect(withToolPlayer({ add: "human", mul: "schema" }, "add", "rules")).toEqual({ mul: "schema" });
});

import { expect, test } from "vitest";
import { buildStateText, createStateDraft, removeSent } from "./stateDraft";

test("fields and the JSON object are one state, and numbers keep their digits", () => {
  const draft = { values: { mood: "calm", count: "3", empty: " " }, json: '{"big": 12345678901234567890}' };

  expect(buildStateText(draft)).toEqual({ text: '{"mood":"calm","count":3,"big":12345678901234567890}' });
});

test("a remembered state is shown in the fields of the needed keys, and the rest as JSON", () => {
  const draft = createStateDraft('{"mood": "calm", "code": "007", "n": 7, "list": [1]}', ["mood", "code", "n"]);

  expect(draft.values).toEqual({ mood: "calm", code: "007", n: "7" });
  expect(draft.json).toBe('{\n  "list": [\n    1\n  ]\n}');
  expect(buildStateText(draft)).toEqual({ text: '{"mood":"calm","code":"007","n":7,"list":[1]}' });
});

test("a text that looks like a number stays a text", () => {
  const draft = createStateDraft('{"zip": "10115"}', ["zip"]);

  expect(draft.values).toEqual({ zip: '"10115"' });
  expect(buildStateText(draft)).toEqual({ text: '{"zip":"10115"}' });
});

test.each(["[1]", "{", "3"])("%s is no state", (json) => {
  expect(buildStateText({ values: {}, json })).toHaveProperty("problem");
});

test("what was typed while a state was set is left of its draft", () => {
  const sent = { values: { mood: "calm" }, json: "{}" };

  expect(removeSent(sent, sent)).toEqual({ values: {}, json: "" });
  expect(removeSent({ values: { mood: "calm", count: "3" }, json: "{ }" }, sent)).toEqual({
    values: { count: "3" },
    json: "{ }",
  });
});

import { expect, test } from "vitest";
import { deserializeDraft, draftFromJson, draftToJson, serializeDraft } from "../form";
import { ADD, LOOKUP } from "../testing/samples";
import { type Drafts, EMPTY_TURN, type StackedCall } from "./drafts";
import {
  draftSuggestion,
  listCalls,
  listFilledForms,
  moveCallUp,
  openStackedCall,
  removeCall,
  stackCall,
  stackCallInBackground,
  uniqueProblems,
} from "./turnDraft";

const ONE: StackedCall = { tool: "add", arguments: '{"a":1,"b":1}' };
const TWO: StackedCall = { tool: "lookup", arguments: '{"patient":"x"}' };
const THREE: StackedCall = { tool: "add", arguments: '{"a":3,"b":3.0}' };

function sampleDrafts(changes: Partial<Drafts>): Drafts {
  return {
    ...EMPTY_TURN,
    message: "",
    messageForm: null,
    consent: "",
    consentQuestion: "",
    toolDraft: null,
    inputDraft: null,
    sentResponse: null,
    typedAhead: "",
    ...changes,
  };
}

/** The JSON that a stored form would send. */
function readForm(stored: string | undefined): string | null {
  const draft = deserializeDraft(stored ?? "");
  return draft && draftToJson(draft, ADD.parameters).text;
}

test("only forms with something in them count as filled in, also with something that is no JSON", () => {
  const forms = {
    add: serializeDraft({ ...draftFromJson("{}"), touched: { "/a": true } }),
    lookup: serializeDraft(draftFromJson('{"patient":"x"}')),
    invented: serializeDraft({ ...draftFromJson("{}"), raw: '{"a":' }),
  };

  expect(listFilledForms(forms, [ADD, LOOKUP])).toEqual([
    { tool: "lookup", arguments: '{"patient":"x"}', isReadable: true },
    { tool: "invented", arguments: '{"a":', isReadable: false },
  ]);
  expect(listFilledForms({ add: serializeDraft(draftFromJson("{}")) }, [ADD])).toEqual([]);
});

test("a turn sends its collected calls in their order, and the one in the form last", () => {
  expect(listCalls([ONE, TWO], THREE).map((call) => [call.name, call.arguments])).toEqual([
    ["add", '{"a":1,"b":1}'],
    ["lookup", '{"patient":"x"}'],
    ["add", '{"a":3,"b":3.0}'],
  ]);
  expect(listCalls([ONE], null)).toHaveLength(1);
});

test("a collected call leaves the form empty, and forms of other tools as they are", () => {
  const drafts = sampleDrafts({ tool: "add", stack: [TWO], forms: { add: "typed", lookup: "also typed" } });

  expect(stackCall(drafts, ONE)).toEqual({ stack: [TWO, ONE], tool: null, forms: { lookup: "also typed" } });
});

test("a call that is collected while the person has gone on closes nothing and loses nothing", () => {
  const form = draftFromJson(ONE.arguments);
  const visited = serializeDraft({ ...form, touched: { "/a": true } });
  const drafts = sampleDrafts({ tool: "add", stack: [TWO], forms: { add: visited, lookup: "also typed" } });

  expect(stackCallInBackground(drafts, ONE, ADD.parameters)).toEqual({
    stack: [TWO, ONE],
    forms: { lookup: "also typed" },
  });
  expect(stackCallInBackground(drafts, THREE, ADD.parameters)).toEqual({ stack: [TWO, THREE], forms: drafts.forms });
});

test("a collected call that is edited goes into the form with all its digits", () => {
  const changes = openStackedCall(sampleDrafts({ stack: [ONE, THREE] }), 1, []);

  expect(changes).toMatchObject({ stack: [ONE], tool: "add" });
  expect(readForm(changes.forms?.add)).toBe('{"a":3,"b":3.0}');
});

test("the call that was in the form takes the position of the one that is edited", () => {
  const changes = openStackedCall(sampleDrafts({ stack: [ONE, TWO] }), 0, [THREE]);

  expect(changes.stack).toEqual([THREE, TWO]);
});

test("the forms of other tools stay when a collected call is edited", () => {
  const forms = { lookup: serializeDraft(draftFromJson(TWO.arguments)), add: serializeDraft(draftFromJson("{}")) };
  const changes = openStackedCall(sampleDrafts({ stack: [ONE], forms }), 0, []);

  expect(changes.forms?.lookup).toBe(forms.lookup);
  expect(readForm(changes.forms?.add)).toBe(ONE.arguments);
});

test("a position that has no call changes nothing", () => {
  expect(openStackedCall(sampleDrafts({ stack: [ONE] }), 5, [THREE])).toEqual({});
});

test("calls can be reordered and removed", () => {
  expect(moveCallUp([ONE, TWO, THREE], 2)).toEqual([ONE, THREE, TWO]);
  expect(moveCallUp(moveCallUp([ONE, TWO, THREE], 2), 1)).toEqual([THREE, ONE, TWO]);
  expect(removeCall([ONE, TWO, THREE], 1)).toEqual([ONE, THREE]);
});

test("a suggestion that is used is all of the turn: its call fills the form", () => {
  const changes = draftSuggestion({ calls: [{ name: "add", arguments: '{"a":2,"b":2}' }], text: "Adding." }, false);

  expect(changes).toMatchObject({ mode: "call", tool: "add", stack: [], callText: "Adding." });
  expect(readForm(changes.forms?.add)).toBe('{"a":2,"b":2}');
});

test("several suggested calls are collected", () => {
  const calls = [
    { name: "add", arguments: "{}" },
    { name: "lookup", arguments: "{}" },
  ];

  expect(draftSuggestion({ calls, text: "" }, false)).toMatchObject({
    mode: "call",
    tool: null,
    stack: [
      { tool: "add", arguments: "{}" },
      { tool: "lookup", arguments: "{}" },
    ],
  });
});

test("a suggested answer fills the text, and the form where the agent answers in a structure", () => {
  expect(draftSuggestion({ calls: [], text: "Four." }, false)).toEqual({
    mode: "answer",
    answer: "Four.",
    answerForm: null,
  });
  const structured = draftSuggestion({ calls: [], text: '{"a":1,"b":2}' }, true);
  expect(readForm(structured.answerForm ?? undefined)).toBe('{"a":1,"b":2}');
});

test("a suggested structure that is no JSON is kept to be corrected", () => {
  const { answerForm } = draftSuggestion({ calls: [], text: "{oops" }, true);

  expect(deserializeDraft(answerForm ?? "")).toMatchObject({ raw: "{oops" });
});

test("a problem that is reported twice is shown once", () => {
  const problem = { path: "a", message: "is missing" };

  expect(uniqueProblems([problem, { ...problem, call_index: 0 }, { path: "b", message: "is missing" }])).toHaveLength(
    2,
  );
});

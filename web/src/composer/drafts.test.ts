import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createDraft, draftFromJson, type FormDraft, serializeDraft } from "../form";
import { installStorage } from "../testing/fakeBrowser";
import { renderHook } from "../testing/renderHook";
import { ADD } from "../testing/samples";
import { type Drafts, EMPTY_TURN, hasTurnDraft, readFormJson, restoreForm, type SetDrafts, useDrafts } from "./drafts";

let storage: Map<string, string>;

beforeEach(() => {
  storage = installStorage();
});

afterEach(() => vi.unstubAllGlobals());

function loadDrafts(sessionId = "s1"): Drafts {
  return renderHook(() => useDrafts(sessionId))[0];
}

function changeDrafts(change: Parameters<SetDrafts>[0], sessionId = "s1"): void {
  renderHook(
    () => useDrafts(sessionId),
    ([, setDrafts]) => setDrafts(change),
  );
}

test("all that was typed is there after a reload", () => {
  const form = serializeDraft({ ...draftFromJson('{"a":5.0}'), texts: { "/b": "12a" }, touched: { "/b": true } });
  changeDrafts({ tool: "add", forms: { add: form }, stack: [{ tool: "lookup", arguments: "{}" }], callText: "Hm." });
  changeDrafts({ message: "And then?" });

  expect(loadDrafts()).toMatchObject({
    tool: "add",
    stack: [{ tool: "lookup", arguments: "{}" }],
    callText: "Hm.",
    message: "And then?",
  });
  expect(restoreForm(loadDrafts().forms.add, ADD.parameters)).toMatchObject({
    texts: { "/b": "12a" },
    touched: { "/b": true },
  });
});

test("drafts that an earlier version stored are there: `callText` was called `beside`", () => {
  storage.set("adksim:draft:s1", JSON.stringify({ tool: "add", beside: "Hm.", message: "And then?" }));
  expect(loadDrafts()).toMatchObject({ tool: "add", callText: "Hm.", message: "And then?" });

  changeDrafts({ callText: "Changed." });
  expect(loadDrafts().callText).toBe("Changed.");
  expect(storage.get("adksim:draft:s1")).not.toContain("beside");
});

test("each session has its own drafts", () => {
  changeDrafts({ answer: "for one" }, "s1");

  expect(loadDrafts("s1").answer).toBe("for one");
  expect(loadDrafts("s2").answer).toBe("");
});

test("a change can depend on what was typed before", () => {
  changeDrafts({ stack: [{ tool: "add", arguments: "{}" }] });
  changeDrafts((before) => ({ stack: [...before.stack, { tool: "lookup", arguments: "{}" }] }));

  expect(loadDrafts().stack.map((call) => call.tool)).toEqual(["add", "lookup"]);
});

test("a decided turn is cleared, and the next message stays", () => {
  changeDrafts({ tool: "add", answer: "Four.", message: "kept" });
  changeDrafts(EMPTY_TURN);

  expect(loadDrafts()).toMatchObject({ tool: null, answer: "", message: "kept" });
});

test.each<[string, Partial<Drafts>, boolean]>([
  ["nothing", {}, false],
  ["only the mode", { mode: "answer" }, false],
  ["only a message", { message: "hello" }, false],
  ["a picked tool", { tool: "add" }, true],
  ["a collected call", { stack: [{ tool: "add", arguments: "{}" }] }, true],
  ["an answer", { answer: "Four." }, true],
])("with %s typed, the turn has a draft: %s", (_name, changes, expected) => {
  expect(hasTurnDraft({ ...loadDrafts(), ...changes })).toBe(expected);
});

test("a form that was never touched is empty, and so is one that cannot be restored", () => {
  expect(restoreForm(null, ADD.parameters)).toEqual(createDraft(ADD.parameters));
  expect(restoreForm("{oops", ADD.parameters)).toEqual(createDraft(ADD.parameters));
});

test("a form without arguments sends an empty object, and an unreadable one its problems", () => {
  const nothing: FormDraft = { ...createDraft({}), value: undefined };
  const broken: FormDraft = { ...draftFromJson('{"a":1}'), texts: { "/a": "1x" } };

  expect(readFormJson(nothing, { type: "object" })).toEqual({ text: "{}" });
  expect(readFormJson(broken, ADD.parameters)).toMatchObject({ problems: [{ path: "a" }, { path: "b" }] });
  expect(readFormJson(draftFromJson('{"a":1,"b":2.0}'), ADD.parameters)).toEqual({ text: '{"a":1,"b":2.0}' });
});

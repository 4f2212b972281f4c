import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Drafts } from "../composer/drafts";
import { draftFromJson, serializeDraft } from "../form";
import { installFetch, installStorage, installWindow } from "../testing/fakeBrowser";
import { sampleRow } from "../testing/samples";
import { loadPrefill, prefillDecision, prefillMessage } from "./prefill";

const EMPTY = { tool: null, find: "", forms: {}, stack: [], callText: "", answer: "", answerForm: null, message: "" };
const drafts = (typed: Partial<Drafts> = {}) => ({ ...EMPTY, ...typed }) as Drafts;

beforeEach(() => {
  installWindow();
  installStorage();
});
afterEach(() => vi.unstubAllGlobals());

test("a decision is edited as it was made: its calls, or its final response", () => {
  const call = { name: "add", arguments: '{"a":2}' };

  expect(prefillDecision({ calls: [call], text: "I add." }).draft(drafts())).toMatchObject({
    mode: "call",
    tool: "add",
    callText: "I add.",
  });
  expect(prefillDecision({ calls: [], text: "five" }).draft(drafts())).toMatchObject({
    mode: "answer",
    answer: "five",
    answerForm: null,
  });
  const structured = prefillDecision({ calls: [], text: '{"stars":5.0}' }).draft(drafts());
  expect(structured.answerForm).toBe(serializeDraft(draftFromJson('{"stars":5.0}')));
});

test("what was typed is not overwritten without a question", () => {
  const decision = prefillDecision({ calls: [], text: "five" });

  expect([decision.replaces(drafts()), decision.replaces(drafts({ answer: "fo" }))]).toEqual([false, true]);
  const message = prefillMessage("2+2?");
  expect([message.replaces(drafts()), message.replaces(drafts({ message: "Hi" }))]).toEqual([false, true]);
  const messageForm = serializeDraft(draftFromJson('{"a":1}'));
  expect(message.replaces(drafts({ messageForm }))).toBe(true);
});

test("a message is loaded with its whole text and its files", async () => {
  const media = [{ name: "a.txt", mime_type: "text/plain", size: 2, url: "/api/media", is_image: false }];
  const values = [{ label: "text", format: "markdown", text: "Read it", size: 7, is_complete: true }];
  installFetch((request) => (request.path === "/api/media" ? { body: "hi" } : { body: { index: 0, values, media } }));
  const prefill = await loadPrefill("s1", sampleRow({ kind: "user", turn_id: "" }));

  expect(prefill.draft(drafts())).toEqual({ message: "Read it", messageForm: null });
  expect(prefill.files).toMatchObject([{ name: "a.txt", mime_type: "text/plain" }]);
});

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Briefing } from "../api/types";
import { draftFromJson, serializeDraft } from "../form";
import { installFetch, installStorage, installWindow, type SentRequest, settle } from "../testing/fakeBrowser";
import { renderHook } from "../testing/renderHook";
import { sampleBriefing } from "../testing/samples";
import { type Drafts, useDrafts } from "./drafts";
import { useDecision } from "./useDecision";
import { useTurnActions } from "./useTurnActions";
import { useTurnForms } from "./useTurnForms";

const onDecided = vi.fn();
let sent: SentRequest[];

beforeEach(() => {
  vi.useFakeTimers();
  installWindow();
  installStorage();
  sent = installFetch(() => ({ body: [] }));
  onDecided.mockClear();
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** The actions of a turn as the editor has them, with something typed. */
function setUp(typed: Partial<Drafts>, briefing: Partial<Briefing> = {}) {
  const turn = {
    sessionId: "s1",
    turnId: "t1",
    agentName: "ClinicDesk",
    requestFocus: () => undefined,
    watchTyping: () => () => "",
  };
  return renderHook(
    () => {
      const [drafts, setDrafts] = useDrafts("s1");
      const decision = useDecision("s1", "t1", () => undefined);
      const { error, clearError } = decision;
      const editor = { ...turn, drafts, setDrafts };
      const forms = useTurnForms({ ...editor, briefing: sampleBriefing(briefing), error, clearError });
      return {
        actions: useTurnActions({ ...editor, forms, decision, onAnswering: () => undefined, onDecided }),
        forms,
        setDrafts,
      };
    },
    ({ setDrafts }) => setDrafts(typed),
  );
}

async function send(typed: Partial<Drafts>, force = false, briefing: Partial<Briefing> = {}): Promise<unknown[]> {
  setUp(typed, briefing).actions.send(force);
  await settle();
  return sent.map((request) => request.body);
}

const ADD_FORM = { tool: "add", forms: { add: serializeDraft(draftFromJson('{"a":2,"b":2.0}')) } };
const LOOKUP_CALL = { tool: "lookup", arguments: '{"patient":"x"}' };

test("a turn with several calls is one decision, in their order, with the text beside them", async () => {
  const [decision] = await send({ ...ADD_FORM, stack: [LOOKUP_CALL], callText: "Let me see." });

  expect(decision).toMatchObject({
    calls: [
      { name: "lookup", arguments: '{"patient":"x"}' },
      { name: "add", arguments: '{"a":2,"b":2.0}' },
    ],
    text: "Let me see.",
    json_text: null,
    force: false,
  });
  expect(onDecided).toHaveBeenCalledExactlyOnceWith("t1");
});

test("a call that does not fit is sent anyway if the person insists", async () => {
  const forms = { add: serializeDraft(draftFromJson('{"a":"two"}')) };
  const [decision] = await send({ tool: "add", forms }, true);

  expect(decision).toMatchObject({ calls: [{ name: "add", arguments: '{"a":"two"}' }], force: true });
});

test("a form with something that is no JSON sends nothing", async () => {
  const forms = { add: serializeDraft({ ...draftFromJson('{"a":2}'), texts: { "/a": "2x" } }) };

  expect(await send({ tool: "add", forms })).toEqual([]);
  expect(await send({ tool: "add", forms }, true)).toEqual([]);
  expect(onDecided).not.toHaveBeenCalled();
});

test("without a call and without an answer nothing is sent", async () => {
  expect(await send({})).toEqual([]);
  expect(await send({ mode: "answer", answer: "  " })).toEqual([]);
});

test("a final response is a text", async () => {
  const [decision] = await send({ mode: "answer", answer: "Four." });

  expect(decision).toMatchObject({ calls: [], text: "Four.", json_text: null });
});

test("an agent that answers in a structure gets it as JSON, digits included", async () => {
  const output_schema = { type: "object", properties: { total: { type: "number" } } };
  const answerForm = serializeDraft(draftFromJson('{"total":5.0}'));
  const [decision] = await send({ mode: "answer", answerForm }, false, { output_schema });

  expect(decision).toMatchObject({ calls: [], text: null, json_text: '{"total":5.0}' });
});

test("an answer that does not fit is sent anyway if the person insists", async () => {
  const output_schema = { type: "object", properties: { total: { type: "number" } }, required: ["total"] };
  const answerForm = serializeDraft(draftFromJson("{}"));
  const [decision] = await send({ mode: "answer", answerForm }, true, { output_schema });

  expect(decision).toMatchObject({ calls: [], text: null, json_text: "{}", force: true });
});

test("an agent without tools can only answer", () => {
  expect(setUp({ mode: "call" }, { tools: [] }).forms.isAnswering).toBe(true);
  expect(setUp({ mode: "call" }).forms.isAnswering).toBe(false);
});

test("a rejected decision does not count as decided", async () => {
  installFetch(() => ({ status: 422, body: { error: "InvalidArguments", message: "No.", can_override: true } }));
  await send({ ...ADD_FORM });

  expect(onDecided).not.toHaveBeenCalled();
});

test("a call is checked before it is collected", async () => {
  void setUp({ ...ADD_FORM, stack: [LOOKUP_CALL] }).actions.addCall();
  await settle();

  expect(sent).toEqual([
    {
      method: "POST",
      path: "/api/sessions/s1/check?turn_id=t1",
      body: { target: "call", tool_name: "add", value: '{"a":2,"b":2.0}' },
    },
  ]);
});

import { renderToStaticMarkup } from "react-dom/server";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Briefing, SessionDetail } from "../api/types";
import { draftFromJson, serializeDraft } from "../form";
import { SessionStore } from "../state/sessionStore";
import { installStorage } from "../testing/fakeBrowser";
import { renderHook } from "../testing/renderHook";
import {
  sampleBriefing,
  samplePending,
  sampleRow,
  sampleSession,
  sampleTimeTravel,
  sampleUpdate,
} from "../testing/samples";
import { Composer } from "./Composer";
import { type Drafts, useDrafts } from "./drafts";

const PENDING = [samplePending()];
const YOUR_TURN: Partial<SessionDetail> = { status: "waiting", pending: PENDING };

const TOOL_CALL = samplePending({ kind: "tool", request_id: "r", tool_name: "lookup" });
const CONSENT = samplePending({ kind: "consent", request_id: "q", tool_name: "send" });
const CONFIRMATION = { arguments: '{"to":"all"}', hint: "Really?", payload: "{}", question_id: "q", tool_name: "send" };

beforeEach(() => {
  installStorage();
});

afterEach(() => vi.unstubAllGlobals());

/** The composer as a page shows it that was just loaded, with these drafts in the browser's storage. */
function render(
  session: Partial<SessionDetail>,
  drafts: Partial<Drafts> = {},
  briefing: Partial<Briefing> | null = {},
  store = new SessionStore("s1"),
): string {
  renderHook(
    () => useDrafts("s1"),
    ([, setDrafts]) => setDrafts(drafts),
  );
  return renderToStaticMarkup(
    <Composer
      store={store}
      session={sampleSession(session)}
      briefing={briefing && sampleBriefing(briefing)}
      onExport={() => undefined}
      onNew={() => undefined}
    />,
  );
}

test.each<[Partial<SessionDetail>, string]>([
  [{ status: "new" }, "What does the user say?"],
  [YOUR_TURN, "Your turn as Clinic desk"],
  [{ status: "waiting", pending: [TOOL_CALL] }, "Your turn as the tool lookup"],
  [{ status: "waiting", pending: [TOOL_CALL, ...PENDING] }, "Your turn as the tool lookup"],
  [{ status: "waiting", pending: [...PENDING, TOOL_CALL] }, "Your turn as Clinic desk"],
  [{ status: "running" }, "Clinic desk is working"],
  [{ status: "done" }, "The agent has answered"],
  [{ status: "failed", failure: "LookupError: x" }, "LookupError: x"],
  [{ status: "stopped" }, "The run was stopped"],
  [{ status: "closed" }, "This session is closed"],
  [{ status: "interrupted", closing_reason: "the server stopped" }, "This session was interrupted"],
  [{ status: "closed", closing_reason: "the server stopped" }, "The server stopped. "],
  [{ status: "cancelled" }, "This session was cancelled"],
  [{ status: "abandoned", agent_key: "" }, "The agent has disconnected"],
  [{ status: "done", agent_key: "" }, "This session runs in another process"],
])("with the session %j it says %j", (session, text) => {
  expect(render(session)).toContain(text);
});

test("a turn begins with the tools, in the order of the agent", () => {
  expect(render(YOUR_TURN)).toMatch(/aria-label="Tools".*add.*Adds two numbers\..*lookup.*Finds a patient\./);
});

test("after a reload the chosen tool, its form and the collected calls are there", () => {
  const page = render(YOUR_TURN, {
    tool: "add",
    forms: { add: serializeDraft(draftFromJson('{"a":41,"b":5.0}')) },
    stack: [{ tool: "lookup", arguments: '{"patient":"x"}' }],
  });

  expect(page).toMatch(/value="41".*value="5.0"/);
  expect(page).toMatch(/aria-label="Calls of this turn".*lookup/);
  expect(page).toContain("Execute 2 calls");
});

test("a turn without a call cannot be executed", () => {
  expect(render(YOUR_TURN)).toMatch(/<button[^>]* disabled=""[^>]*>Execute/);
  expect(render(YOUR_TURN, { tool: "add" })).not.toMatch(/<button[^>]* disabled=""[^>]*>Execute/);
});

test("the first collected call cannot move up, the second can", () => {
  const stack = [
    { tool: "add", arguments: "{}" },
    { tool: "lookup", arguments: "{}" },
  ];
  const page = render(YOUR_TURN, { stack });

  expect(page).toMatch(/aria-label="Move add up, call 1" disabled=""/);
  expect(page).toMatch(/aria-label="Move lookup up, call 2">/);
});

test("an answer that was typed is kept, and can be sent", () => {
  const page = render(YOUR_TURN, { mode: "answer", answer: "Four." });

  expect(page).toContain(">Four.</textarea>");
  expect(page).toMatch(/<button[^>]*class="button primary">Send Final Response/);
});

test("an agent without tools can only answer, and says so", () => {
  const page = render(YOUR_TURN, {}, { tools: [] });

  expect(page).toContain("This agent has no tools: it can only answer.");
  expect(page).toMatch(/disabled=""[^>]*>Call a Tool/);
});

test("an agent that answers in a structure gets a form for it", () => {
  const output_schema = { type: "object", properties: { total: { type: "number" } } };

  expect(render(YOUR_TURN, { mode: "answer" }, { output_schema })).toMatch(/<label[^>]*>total<\/label>/);
});

test("an agent that takes a structure gets a form for the message", () => {
  const input_schema = { type: "object", properties: { city: { type: "string" } } };

  expect(render({ status: "new" }, {}, { input_schema })).toMatch(/<label[^>]*>city<\/label>/);
});

test("further waiting turns are counted", () => {
  const pending = [...PENDING, samplePending({ agent_name: "Billing", requested_at: 1, request_id: "t2" }), CONSENT];

  expect(render({ ...YOUR_TURN, pending })).toContain("1 more turn waits after this one.");
});

test("running calls are listed, each with a way to cancel it", () => {
  const store = new SessionStore("s1");
  const rows = [
    sampleRow({ index: 0, subject: "add" }),
    sampleRow({ index: 1, subject: "slow", status: "running", call_id: "c1" }),
  ];
  store.applyUpdate(sampleUpdate({ row_count: 2 }, rows));
  const page = render({ status: "running" }, {}, {}, store);

  expect(page).toContain('aria-label="Cancel slow, call 1"');
  expect(page).not.toContain('aria-label="Cancel add');
});

test("a call that needs consent shows its arguments, and a payload that is no JSON cannot be approved", () => {
  const session: Partial<SessionDetail> = { status: "waiting", pending: [CONSENT], confirmation: CONFIRMATION };

  expect(render(session)).toMatch(/send.*to.*all.*Really\?/);
  expect(render(session, { consent: '{"a":' })).toMatch(/disabled=""[^>]*>Approve/);
});

test("a model turn comes before a consent, and a consent only when the run has ended", () => {
  const waiting: Partial<SessionDetail> = { status: "waiting", confirmation: CONFIRMATION };

  expect(render({ ...waiting, pending: [CONSENT, ...PENDING] })).toContain("Your turn as Clinic desk");
  expect(render({ ...waiting, pending: [CONSENT] })).toContain("Approve this call?");
  expect(render({ ...waiting, pending: [CONSENT], status: "running" })).toContain("Clinic desk is working");
  expect(render({ ...waiting, pending: [CONSENT], status: "closed" })).toContain("This session is closed");
});

test("an interrupted session that cannot be forked says why", () => {
  const page = render({
    status: "interrupted",
    closing_reason: "the server stopped while the agent was running",
    time_travel: sampleTimeTravel({ fork_problem: "The agent of this session is not on this server." }),
  });

  expect(page).toMatch(
    /The server stopped while the agent was running\..*nothing can be added\. The agent of this session is not on this server\./,
  );
});

test("a session that cannot be read says why, and cannot be exported", () => {
  const page = render({ status: "broken", failure: "Event 3 is no JSON.", agent_key: "" });

  expect(page).toMatch(/This session cannot be read.*Event 3 is no JSON\./);
  expect(page).toMatch(/disabled=""[^>]*><svg.*Export/);
});

const PAUSE = { request_id: "p", agent_name: "Desk", message: "", payload: null, auth_uri: "" };
const KEY_SCHEMA = { type: "object", properties: { api_key: { type: "string" } }, required: ["api_key"] };

test.each<[Partial<SessionDetail>, [string, ...string[]]]>([
  [{ pending: [CONSENT], confirmation: CONFIRMATION }, ["<textarea", ">Deny<", ">Approve<"]],
  [
    { pause: { ...PAUSE, kind: "credential", title: "API key", response_schema: KEY_SCHEMA } },
    ['type="password"', "Simulate a signed-in user", "Send credential"],
  ],
  [{ pause: { ...PAUSE, kind: "input", title: "", response_schema: KEY_SCHEMA } }, ["<fieldset", "Send input"]],
])("a request that cannot be answered from here says why, and takes nothing: %j", (changes, controls) => {
  const problem = "It runs in another process";
  const paused = { pending: [samplePending()], ...changes, status: "waiting" as const };
  const page = render({ ...paused, pending: changes.pending ?? [], answer_problem: problem });
  const open = render({ ...paused, pending: changes.pending ?? [] });

  expect(page).toContain(problem);
  expect(open).not.toContain(problem);
  for (const control of controls) {
    expect(open).toContain(control);
    expect(findTag(page, control)).toContain('disabled=""');
  }
  expect(findTag(open, controls[0])).not.toContain('disabled=""');
});

/** The start tag that has, or comes before, a text. */
function findTag(page: string, text: string): string {
  const place = page.indexOf(text);
  const start = text.startsWith("<") ? place : page.lastIndexOf("<", text.startsWith(">") ? place - 1 : place);
  return page.slice(start, page.indexOf(">", start) + 1);
}

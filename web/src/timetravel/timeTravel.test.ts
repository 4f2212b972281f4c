import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { installFetch, installStorage, installWindow } from "../testing/fakeBrowser";
import { samplePending, sampleRow, sampleSession } from "../testing/samples";
import { prefills } from "./prefill";
import { performTimeTravel, planTimeTravel, watchProgress } from "./timeTravel";

const PLAN = { agent_name: "ClinicDesk", copied_runs: 0, replayed_turns: 1, replayed_calls: 1, callbacks: [] };
const DIFFERS = { error: "ReplayDiverged", message: "The clock is different.", can_override: true };
const session = sampleSession({ status: "waiting", pending: [samplePending()] });

beforeEach(() => {
  installWindow();
  installStorage();
});
afterEach(() => vi.unstubAllGlobals());

test("without callbacks it happens at once, and the turn that waited counts as left", async () => {
  const leftDuring: boolean[] = [];
  const sent = installFetch(({ path }) => {
    leftDuring.push(prefills.leftTurns.has("t1"));
    return { body: path.endsWith("/plan") ? PLAN : session };
  });

  expect(await planTimeTravel(session, { action: "undo" })).toMatchObject({ continued: { session_id: "s1" } });
  expect(sent.map((request) => request.path)).toEqual([
    "/api/sessions/s1/time-travel/plan",
    "/api/sessions/s1/time-travel",
  ]);
  expect(sent[1]?.body).toEqual({ action: "undo", row: null, force: false });
  // Also before the response: the live update may come first.
  expect(leftDuring).toEqual([false, true]);
  expect(prefills.leftTurns.has("t1")).toBe(true);
});

test("callbacks that run again are a question, and nothing happens before the answer", async () => {
  const plan = { ...PLAN, callbacks: ["agent 'a': before_model_callback check"] };
  const sent = installFetch(() => ({ body: plan }));
  const outcome = await planTimeTravel(session, { action: "go_back", row: sampleRow({ index: 3 }) });

  expect(outcome).toMatchObject({ question: { kind: "callbacks", plan } });
  expect(sent).toHaveLength(1);
});

test("a run that differs is a question once; insisting sends anyway", async () => {
  const sent = installFetch(() => ({ status: 409, body: DIFFERS }));
  const request = { action: "undo" } as const;

  expect(await performTimeTravel(session, request, false)).toEqual({
    question: { kind: "difference", request, message: "The clock is different." },
  });
  expect(await performTimeTravel(session, request, true)).toEqual({ error: "The clock is different." });
  expect(sent.map((request) => (request.body as { force: boolean }).force)).toEqual([false, true]);
});

test("a refusal is an error with the server's reason", async () => {
  installFetch(() => ({ status: 409, body: { error: "ForkRefused", message: "There is nothing to undo." } }));

  expect(await performTimeTravel(session, { action: "undo" }, false)).toEqual({ error: "There is nothing to undo." });
  expect(prefills.leftTurns.has("t1")).toBe(false);
});

test("an edit in a fork puts the decision into the composer of the fork", async () => {
  const fork = sampleSession({ session_id: "s2" });
  installFetch(({ path }) => ({ body: path.endsWith("/decision") ? { calls: [], text: "five" } : fork }));
  await performTimeTravel(session, { action: "fork", row: sampleRow({ turn_id: "t0" }), isEdit: true }, false);

  expect(prefills.take("s1")).toBeUndefined();
  expect(prefills.take("s2")?.files).toEqual([]);
  expect(prefills.take("s2")).toBeUndefined();
});

test("what a time travel waits for is asked for once it takes long, until it is over", async () => {
  vi.useFakeTimers();
  const sent = installFetch(() => ({ body: { waits_for: "the call add" } }));
  const seen: unknown[] = [];
  const stop = watchProgress("s1", (progress) => seen.push(progress?.waits_for ?? null));
  await vi.advanceTimersByTimeAsync(1_900);
  expect(sent).toHaveLength(0);
  await vi.advanceTimersByTimeAsync(200);
  expect(seen).toEqual(["the call add"]);
  stop();
  await vi.advanceTimersByTimeAsync(5_000);
  expect([seen, sent.length]).toEqual([["the call add", null], 1]);
  vi.useRealTimers();
});

import { afterEach, expect, test, vi } from "vitest";
import { installFetch } from "../testing/fakeBrowser";
import { renderHook } from "../testing/renderHook";
import { useDecision } from "./useDecision";

const ANSWER = { calls: [], text: "Four.", json_text: null, force: false };

afterEach(() => vi.unstubAllGlobals());

function setUp() {
  const onTooLate = vi.fn();
  return { onTooLate, decision: renderHook(() => useDecision("s1", "t1", onTooLate)) };
}

test("a decision is sent for its turn, with an id of its own", async () => {
  const sent = installFetch(() => ({}));

  expect(await setUp().decision.decide(ANSWER)).toBe(true);
  expect(sent).toEqual([
    {
      method: "POST",
      path: "/api/sessions/s1/turns/t1/decision",
      body: { ...ANSWER, decision_id: expect.stringMatching(/^[0-9a-f]{32}$/) },
    },
  ]);
});

test("the same decision that is sent again keeps its id, so that it counts once", async () => {
  const sent = installFetch(() => {
    throw new TypeError("Failed to fetch");
  });
  const { decision } = setUp();

  expect(await decision.decide(ANSWER)).toBe(false);
  expect(await decision.decide(ANSWER)).toBe(false);
  await decision.decide({ ...ANSWER, force: true });
  const ids = sent.map((request) => (request.body as { decision_id: string }).decision_id);

  expect(ids[1]).toBe(ids[0]);
  expect(ids[2]).not.toBe(ids[0]);
});

test.each(["TurnAlreadyDecided", "TurnAbandoned", "SessionClosed"])("%s means that it came too late", async (error) => {
  installFetch(() => ({ status: 409, body: { error, message: "Somebody was first." } }));
  const { decision, onTooLate } = setUp();

  expect(await decision.decide(ANSWER)).toBe(false);
  expect(onTooLate).toHaveBeenCalledExactlyOnceWith("Somebody was first.");
});

test("a decision that does not fit is not too late: it can be corrected or sent anyway", async () => {
  installFetch(() => ({
    status: 422,
    body: { error: "InvalidArguments", message: "It does not fit.", can_override: true },
  }));
  const { decision, onTooLate } = setUp();

  expect(await decision.decide(ANSWER)).toBe(false);
  expect(onTooLate).not.toHaveBeenCalled();
});

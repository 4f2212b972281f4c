import { afterEach, expect, test, vi } from "vitest";
import { installFetch } from "../testing/fakeBrowser";
import { renderHook } from "../testing/renderHook";
import { useToolResponse } from "./useToolResponse";

const RESULT = { result: "4", error_type: "", error_message: "", force: false };

afterEach(() => vi.unstubAllGlobals());

function setUp() {
  const onTooLate = vi.fn();
  return { onTooLate, action: renderHook(() => useToolResponse("s1", "r1", onTooLate)) };
}

test("a response is sent for its call, and again under the same id, so that it counts once", async () => {
  let isDown = true;
  const sent = installFetch(() => {
    if (isDown) throw new TypeError("Failed to fetch");
    return {};
  });
  const { action } = setUp();

  expect(await action.respond(RESULT)).toBe(false);
  isDown = false;
  expect(await action.respond(RESULT)).toBe(true);
  expect(sent[1]).toEqual({
    method: "POST",
    path: "/api/sessions/s1/tool-calls/r1/response",
    body: { ...RESULT, decision_id: expect.stringMatching(/^[0-9a-f]{32}$/) },
  });
  expect(sent[0]).toEqual(sent[1]);
});

test.each(["ToolAlreadyAnswered", "ToolRequestAbandoned", "SessionClosed"])(
  "%s means that it came too late",
  async (error) => {
    installFetch(() => ({ status: 409, body: { error, message: "Somebody was first." } }));
    const { action, onTooLate } = setUp();

    expect(await action.respond(RESULT)).toBe(false);
    expect(onTooLate).toHaveBeenCalledExactlyOnceWith("Somebody was first.");
  },
);

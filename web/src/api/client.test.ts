import { afterEach, expect, test, vi } from "vitest";
import { installFetch } from "../testing/fakeBrowser";
import { ApiError, api, getErrorMessage, ServerUnreachable } from "./client";

afterEach(() => vi.unstubAllGlobals());

async function catchError(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => expect.fail("the request succeeded"),
    (error: unknown) => error,
  );
}

test("ids are escaped in the path, and a body is sent as JSON", async () => {
  const sent = installFetch(() => ({}));

  await api.renameSession("a/b?c", "New name");
  await api.cancelCall("s1", "call 1");
  await api.getBriefing("s1", null);
  await api.getBriefing("s1", "t&1");

  expect(sent).toEqual([
    { method: "PATCH", path: "/api/sessions/a%2Fb%3Fc", body: { name: "New name" } },
    { method: "POST", path: "/api/sessions/s1/calls/call%201/cancel", body: null },
    { method: "GET", path: "/api/sessions/s1/briefing", body: null },
    { method: "GET", path: "/api/sessions/s1/briefing?turn_id=t%261", body: null },
  ]);
});

test("a list is asked for with what is chosen, and with nothing else", async () => {
  const sent = installFetch(() => ({}));

  await api.listSessions({});
  await api.listSessions({ cursor: "", q: "a&b", status: ["new", "waiting"], agent: "", limit: 50 });
  await api.listQueue({ cursor: "1:s:t" });

  expect(sent.map((request) => request.path)).toEqual([
    "/api/sessions",
    "/api/sessions?q=a%26b&status=new&status=waiting&limit=50",
    "/api/queue?cursor=1%3As%3At",
  ]);
});

test("an error response carries the server's message, problems and whether it can be sent anyway", async () => {
  const problems = [{ path: "a", message: "is missing", call_index: 0 }];
  const body = { error: "InvalidArguments", message: "The call does not fit.", problems, can_override: true };
  installFetch(() => ({ status: 422, body }));

  const error = await catchError(api.stopRun("s1"));

  expect(error).toBeInstanceOf(ApiError);
  expect(error).toMatchObject({ status: 422, body, message: "The call does not fit." });
});

test("an error response without JSON still says what happened", async () => {
  installFetch(() => ({ status: 502, body: "<html>Bad gateway</html>" }));

  const error = await catchError(api.listSessions({}));

  expect(error).toMatchObject({ status: 502, body: { error: "HTTP 502", problems: [], can_override: false } });
  expect(getErrorMessage(error)).toMatch(/^The server answered 502/);
});

test("what an error response leaves out has a default", async () => {
  installFetch(() => ({ status: 404, body: { message: "There is no session s1." } }));

  expect(await catchError(api.getState("s1"))).toMatchObject({
    body: { error: "HTTP 404", message: "There is no session s1.", problems: [], can_override: false },
  });
});

test("a server that cannot be reached is no error of the server", async () => {
  installFetch(() => {
    throw new TypeError("Failed to fetch");
  });

  const error = await catchError(api.getServer());

  expect(error).toBeInstanceOf(ServerUnreachable);
  expect(getErrorMessage(error)).toContain("Your input is kept");
});

test("the request and the state are texts, so that numbers keep their digits", async () => {
  installFetch(() => ({ body: '{"request":{"temperature":5.0,"id":12345678901234567890}}' }));

  expect(await api.getRequest("s1", "t1")).toBe('{"request":{"temperature":5.0,"id":12345678901234567890}}');
});

test("anything that is thrown has a message", () => {
  expect(getErrorMessage(new Error("broken"))).toBe("broken");
  expect(getErrorMessage("broken")).toBe("broken");
});

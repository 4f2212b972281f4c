import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { type FakeSocket, installFetch, installSocket, installWindow, settle } from "../testing/fakeBrowser";
import {
  sampleListUpdate,
  samplePending,
  sampleRows,
  sampleServer,
  sampleSession,
  sampleUpdate,
} from "../testing/samples";
import { NO_FILTER } from "./sessionList";

const SERVER = sampleServer();

let lastSocket: () => FakeSocket;
let app: typeof import("./app").app;

beforeEach(async () => {
  vi.useFakeTimers();
  vi.resetModules();
  installWindow();
  lastSocket = installSocket();
  ({ app } = await import("./app"));
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function failToConnect(): never {
  throw new TypeError("Failed to fetch");
}

async function start(): Promise<void> {
  installFetch(() => ({ body: SERVER }));
  await app.start();
  lastSocket().accept();
}

test("the start loads the server and its agents", async () => {
  await start();

  expect([app.error, app.connection]).toEqual([null, "open"]);
  expect(app.findAgent("clinic")?.name).toBe("ClinicDesk");
  expect(app.findAgent("nobody")).toBeUndefined();
});

test("a server that is not there at the start is an error", async () => {
  installFetch(failToConnect);
  await app.start();

  expect(app.error).toContain("does not respond");
});

test("a server that goes away later is no error: the connection is lost until it is back", async () => {
  await start();
  installFetch(failToConnect);
  lastSocket().drop();
  await settle();
  expect([app.connection, app.error]).toEqual(["lost", null]);

  installFetch(() => ({ body: SERVER }));
  app.reconnect();
  lastSocket().accept();
  await settle();
  expect([app.connection, app.error]).toEqual(["open", null]);
});

test("a server that comes back and rejects this tab says so", async () => {
  await start();
  installFetch(() => ({ status: 401, body: { message: "Open the address that adksim printed." } }));
  lastSocket().drop();
  await settle();

  expect(app.error).toBe("Open the address that adksim printed.");
});

test("a followed session gets its updates, and those of other sessions are ignored", async () => {
  await start();
  const store = app.openSession("s1");
  app.followSession(store);
  lastSocket().receive(sampleUpdate({ last_seq: 4, row_count: 2 }, sampleRows(0, 2)));
  lastSocket().receive(sampleUpdate({ session_id: "s2", last_seq: 9 }));

  expect(lastSocket().sent.at(-1)).toEqual({ session_id: "s1", after_seq: 0, tail: 200, revision: 0 });
  expect(store.session?.last_seq).toBe(4);
  expect(app.openSession("s1")).toBe(store);
});

test("a session that is no longer followed is not asked for", async () => {
  await start();
  const stop = app.followSession(app.openSession("s1"));
  stop();

  expect(lastSocket().sent.at(-1)).toMatchObject({ session_id: null });
});

test("a session that the server does not have is marked as gone", async () => {
  await start();
  const store = app.openSession("s1");
  lastSocket().receive({ type: "gone", session_id: "s2", message: "There is no session s2." });
  expect(store.goneMessage).toBeNull();
  lastSocket().receive({ type: "gone", session_id: "s1", message: "There is no session s1." });
  expect(store.goneMessage).toBe("There is no session s1.");
});

test("a change of the lists is counted and reaches both lists", async () => {
  await start();
  installFetch(({ path }) => ({
    body: path.startsWith("/api/queue")
      ? { items: [], next_cursor: null, total: 0 }
      : { sessions: [], next_cursor: null },
  }));
  const list = app.openSessionList(NO_FILTER);
  await Promise.all([app.queue.loadMore(), list.loadMore()]);
  const session = sampleSession({ status: "waiting", pending: [samplePending(), samplePending({ request_id: "t2" })] });
  lastSocket().receive(sampleListUpdate({ pending_count: 2, sessions: [session] }));

  expect(app.pendingCount).toBe(2);
  expect(list.items).toEqual([session]);
  expect(app.queue.items.map((item) => item.request.request_id)).toEqual(["t1", "t2"]);
});

test("a list is kept as long as its filter is the same", () => {
  const list = app.openSessionList(NO_FILTER);

  expect(app.openSessionList({ ...NO_FILTER })).toBe(list);
  expect(app.openSessionList({ ...NO_FILTER, text: "tea" })).not.toBe(list);
});

import { afterEach, expect, test, vi } from "vitest";
import { installFetch, type SentRequest, settle } from "../testing/fakeBrowser";
import { sampleRow, sampleRows, sampleSession, sampleUpdate } from "../testing/samples";
import { SessionStore } from "./sessionStore";

afterEach(() => vi.unstubAllGlobals());

/** Serves a session of so many rows. */
function serveRows(total: number): SentRequest[] {
  return installFetch(({ path }) => {
    const query = new URL(path, "http://localhost").searchParams;
    const start = Number(query.get("start"));
    return { body: sampleRows(start, Math.min(Number(query.get("count")), total - start)) };
  });
}

function listIndexes(store: SessionStore): number[] {
  return store.listLoadedRows().map((row) => row.index);
}

test("a new session asks for everything, and later only for what changed after the last seq", () => {
  const store = new SessionStore("s1");

  expect(store.buildFollow()).toEqual({ session_id: "s1", after_seq: 0, tail: 200 });
  store.applyUpdate(sampleUpdate({ last_seq: 12, row_count: 1 }, sampleRows(0, 1)));
  expect(store.buildFollow()).toMatchObject({ after_seq: 12 });
});

test("rows of an update take their positions, and others stay", () => {
  const store = new SessionStore("s1");
  store.applyUpdate(sampleUpdate({ last_seq: 3, row_count: 3 }, sampleRows(0, 3)));
  store.applyUpdate(sampleUpdate({ last_seq: 5, row_count: 4 }, [sampleRow({ index: 3 })]));

  expect(listIndexes(store)).toEqual([0, 1, 2, 3]);
  expect(store.rowCount).toBe(4);
});

test("a call and its result are one row: the newer version replaces the older one, never the other way", () => {
  const store = new SessionStore("s1");
  const running = sampleRow({ index: 0, updated_seq: 4, status: "running" });
  const done = sampleRow({ index: 0, updated_seq: 6, status: "done" });

  store.applyUpdate(sampleUpdate({ last_seq: 4, row_count: 1 }, [running]));
  store.applyUpdate(sampleUpdate({ last_seq: 6, row_count: 1 }, [done]));
  expect(store.getRow(0)?.status).toBe("done");
  store.applyUpdate(sampleUpdate({ last_seq: 7, row_count: 1 }, [running]));
  expect(store.getRow(0)?.status).toBe("done");
});

test("only the pages with missing rows are loaded", async () => {
  const sent = serveRows(1000);
  const store = new SessionStore("s1");
  store.applyUpdate(sampleUpdate({ row_count: 1000 }, sampleRows(800, 200)));

  await store.loadRange(790, 810);

  expect(sent.map((request) => request.path)).toEqual(["/api/sessions/s1/rows?start=600&count=200"]);
  expect(listIndexes(store)).toEqual(Array.from({ length: 400 }, (_, offset) => 600 + offset));
});

test("a page is requested once, however often it is needed before it arrives", async () => {
  const sent = serveRows(100);
  const store = new SessionStore("s1");
  store.applyUpdate(sampleUpdate({ row_count: 100 }));

  await Promise.all([store.loadRange(0, 20), store.loadRange(5, 25)]);

  expect(sent).toHaveLength(1);
});

test("nothing beyond the end of the session is requested", async () => {
  const sent = serveRows(10);
  const store = new SessionStore("s1");
  store.applyUpdate(sampleUpdate({ row_count: 10 }, sampleRows(0, 10)));

  await store.loadRange(0, 500);

  expect(sent).toEqual([]);
});

test("a page that could not be loaded is requested again", async () => {
  installFetch(() => ({ status: 500 }));
  const store = new SessionStore("s1");
  store.applyUpdate(sampleUpdate({ row_count: 10 }));
  await store.loadRange(0, 9);
  expect(listIndexes(store)).toEqual([]);

  serveRows(10);
  await store.loadRange(0, 9);
  expect(listIndexes(store)).toHaveLength(10);
});

test("a search loads all rows from the first missing one", async () => {
  const sent = serveRows(12_000);
  const store = new SessionStore("s1");
  store.applyUpdate(sampleUpdate({ row_count: 12_000 }, sampleRows(0, 300)));

  await store.loadAll();

  expect(sent.map((request) => request.path.split("?")[1])).toEqual([
    "start=300&count=5000",
    "start=5300&count=5000",
    "start=10300&count=5000",
  ]);
  expect(listIndexes(store)).toHaveLength(12_000);
  await store.loadAll();
  expect(sent).toHaveLength(3);
});

test("a response that is older than the last update does not change the session", () => {
  const store = new SessionStore("s1");
  store.applyUpdate(sampleUpdate({ last_seq: 8, name: "New" }));
  store.replaceSession(sampleSession({ last_seq: 7, name: "Old" }));
  expect(store.session?.name).toBe("New");
  store.replaceSession(sampleSession({ last_seq: 8, name: "Newer" }));
  expect(store.session?.name).toBe("Newer");
});

test("who waits for a revision goes on when a live update has it, or when the session is gone", async () => {
  const store = new SessionStore("s1");
  const arrived = vi.fn();
  store.applyUpdate(sampleUpdate({ last_seq: 8 }));
  await store.waitForRevision(8);
  void store.waitForRevision(10).then(() => arrived(10));
  void store.waitForRevision(12).then(() => arrived(12));
  store.applyUpdate(sampleUpdate({ last_seq: 9 }));
  await settle();
  expect(arrived).not.toHaveBeenCalled();
  store.applyUpdate(sampleUpdate({ last_seq: 11 }));
  await settle();
  expect(arrived.mock.calls).toEqual([[10]]);
  store.markGone("There is no session s1.");
  await settle();
  expect(arrived.mock.calls).toEqual([[10], [12]]);
});

test("a session that is gone says why, until it is there again", () => {
  const store = new SessionStore("s1");
  store.markGone("There is no session s1.");
  expect(store.goneMessage).toBe("There is no session s1.");
  store.applyUpdate(sampleUpdate({}));
  expect(store.goneMessage).toBeNull();
});

test("every change reaches those who subscribed, until they unsubscribe", async () => {
  serveRows(1);
  const store = new SessionStore("s1");
  const listener = vi.fn();
  const unsubscribe = store.subscribe(listener);
  const before = store.getVersion();

  store.applyUpdate(sampleUpdate({ row_count: 1 }));
  await store.loadRange(0, 0);
  await settle();
  expect(listener).toHaveBeenCalledTimes(2);
  expect(store.getVersion()).toBe(before + 2);
  unsubscribe();
  store.markGone("gone");
  expect(listener).toHaveBeenCalledTimes(2);
});

test("an update that was on its way does not undo a newer response, and after a reconnect the server is right", () => {
  const store = new SessionStore("s1");
  store.applyUpdate(sampleUpdate({ last_seq: 4, status: "running" }));
  store.replaceSession(sampleSession({ last_seq: 9, status: "waiting" }));
  store.applyUpdate(sampleUpdate({ last_seq: 6, status: "running" }));
  expect(store.session?.status).toBe("waiting");

  expect(store.buildFollow()).toMatchObject({ after_seq: 6 });
  store.applyUpdate(sampleUpdate({ last_seq: 7, status: "stopped" }));
  expect(store.session?.status).toBe("stopped");
});

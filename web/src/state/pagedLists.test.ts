import { afterEach, expect, test, vi } from "vitest";
import type { PendingRequest, SessionRecord } from "../api/types";
import { installFetch, type SentRequest, settle } from "../testing/fakeBrowser";
import { sampleListUpdate, samplePending, sampleSession } from "../testing/samples";
import { QueueList } from "./queueList";
import { formatFilter, NO_FILTER, parseFilter, type SessionFilter, SessionList } from "./sessionList";

afterEach(() => vi.unstubAllGlobals());

/** Session number `index`, created in the second of that number. */
function buildSession(index: number, changes: Partial<SessionRecord> = {}): SessionRecord {
  const session_id = `s${String(index).padStart(4, "0")}`;
  return sampleSession({ session_id, name: `Session ${index}`, created_at: index, ...changes });
}

function buildSessions(count: number): SessionRecord[] {
  return Array.from({ length: count }, (_, index) => buildSession(index));
}

/** A session whose only turn was asked for in this second. */
function buildWaiting(index: number, changes: Partial<PendingRequest> = {}): SessionRecord {
  return buildSession(index, {
    status: "waiting",
    pending: [samplePending({ request_id: `t${index}`, requested_at: index, ...changes })],
  });
}

/** Serves these sessions, newest first, and their requests, oldest first; a cursor is the time of the last entry. */
function serve(sessions: () => SessionRecord[]): SentRequest[] {
  return installFetch(({ path }) => {
    const { pathname, searchParams } = new URL(path, "http://localhost");
    const [limit, cursor] = [Number(searchParams.get("limit")), searchParams.get("cursor")];
    if (pathname === "/api/queue") {
      const waiting = sessions()
        .flatMap(({ session_id, name, agent_label, pending }) =>
          pending.map((request) => ({ session_id, session_name: name, agent_label, request })),
        )
        .toSorted((left, right) => left.request.requested_at - right.request.requested_at)
        .filter(({ request }) => cursor === null || request.requested_at > Number(cursor));
      const items = waiting.slice(0, limit);
      const next_cursor = waiting.length > limit ? String(items.at(-1)?.request.requested_at) : null;
      return { body: { items, next_cursor, total: waiting.length } };
    }
    const matching = sessions()
      .filter((session) => !searchParams.has("status") || searchParams.getAll("status").includes(session.status))
      .filter((session) => session.name.includes(searchParams.get("q") ?? ""))
      .filter((session) => cursor === null || session.created_at < Number(cursor))
      .toSorted((left, right) => right.created_at - left.created_at);
    const page = matching.slice(0, limit);
    return {
      body: { sessions: page, next_cursor: matching.length > limit ? String(page.at(-1)?.created_at) : null },
    };
  });
}

async function openList(filter: Partial<SessionFilter> = {}): Promise<SessionList> {
  const list = new SessionList({ ...NO_FILTER, ...filter });
  list.subscribe(() => undefined);
  list.open();
  await settle();
  return list;
}

async function openQueue(): Promise<QueueList> {
  const queue = new QueueList();
  queue.subscribe(() => undefined);
  queue.open();
  await settle();
  return queue;
}

function listNumbers(list: SessionList): number[] {
  return list.items.map((session) => session.created_at);
}

function listTimes(queue: QueueList): number[] {
  return queue.items.map((item) => item.request.requested_at);
}

/** From `from` down to `to`. */
function countDown(from: number, to: number): number[] {
  return Array.from({ length: from - to + 1 }, (_, offset) => from - offset);
}

test("pages are added until the last one is there", async () => {
  const sent = serve(() => buildSessions(120));
  const list = await openList();
  expect([listNumbers(list), list.isComplete]).toEqual([countDown(119, 70), false]);

  await list.loadMore();
  await list.loadMore();
  expect([listNumbers(list), list.isComplete]).toEqual([countDown(119, 0), true]);
  await list.loadMore();
  expect(sent).toHaveLength(3);
});

test("a page is requested once, however often the end comes near", async () => {
  const sent = serve(() => buildSessions(120));
  const list = await openList();

  await Promise.all([list.loadMore(), list.loadMore()]);

  expect(sent).toHaveLength(2);
  expect(list.items).toHaveLength(100);
});

test("a page that does not load leaves what is there, and is requested again", async () => {
  serve(() => buildSessions(60));
  const list = await openList();
  installFetch(() => ({ status: 500, body: { message: "The database is locked." } }));
  await list.loadMore();
  expect([list.items.length, list.error, list.isLoading]).toEqual([50, "The database is locked.", false]);

  serve(() => buildSessions(60));
  list.open();
  await settle();
  expect([list.items.length, list.error]).toEqual([60, ""]);
});

test("a changed session is replaced in its place, and a deleted one is removed", async () => {
  serve(() => buildSessions(3));
  const list = await openList();

  list.applyUpdate(sampleListUpdate({ sessions: [buildSession(1, { name: "New name" })], deleted: ["s0002", "gone"] }));

  expect(list.items.map((session) => session.name)).toEqual(["New name", "Session 0"]);
});

test("a response that is older than a live update changes nothing", async () => {
  serve(() => buildSessions(3));
  const list = new SessionList(NO_FILTER);
  await list.loadMore();
  list.applyUpdate(sampleListUpdate({ sessions: [buildSession(1, { last_seq: 5, status: "done" })] }));
  list.applyChange({ sessions: [buildSession(1, { last_seq: 4, status: "running" })], deleted: [] });

  expect(list.items[1]?.status).toBe("done");
});

test("a new session comes first, and one from beyond the loaded pages comes with its page", async () => {
  const sessions = buildSessions(120);
  const sent = serve(() => sessions);
  const list = await openList();

  list.applyUpdate(sampleListUpdate({ sessions: [buildSession(500), buildSession(3, { name: "Renamed" })] }));

  expect(listNumbers(list)).toEqual([500, ...countDown(119, 70)]);
  expect(sent).toHaveLength(1);
});

test("a session between loaded ones is inserted, and one after them comes with the next page", async () => {
  const sessions = buildSessions(60);
  serve(() => sessions);
  const list = await openList();
  sessions.push(buildSession(10.5), buildSession(9.5));
  list.applyUpdate(sampleListUpdate({ sessions: [buildSession(10.5), buildSession(9.5)] }));

  await list.loadMore();

  expect(listNumbers(list)).toEqual([...countDown(59, 11), 10.5, 10, 9.5, ...countDown(9, 0)]);
});

test("a change that arrives while a page is on its way wins over the page", async () => {
  const answers: ((response: Response) => void)[] = [];
  vi.stubGlobal("fetch", () => new Promise((resolve) => answers.push(resolve)));
  const list = await openList();
  list.applyUpdate(sampleListUpdate({ sessions: [buildSession(1, { name: "Newer" })], deleted: ["s0000"] }));

  answers[0]?.(new Response(JSON.stringify({ sessions: buildSessions(2).toReversed(), next_cursor: null })));
  await settle();

  expect(list.items.map((session) => session.name)).toEqual(["Newer"]);
});

test("if more has changed than is reported, as many sessions as before are loaded again", async () => {
  let sessions = buildSessions(400);
  const sent = serve(() => sessions);
  const list = await openList();
  for (let page = 0; page < 4; page += 1) await list.loadMore();
  expect(list.items).toHaveLength(250);
  sent.length = 0;
  sessions = buildSessions(500);

  list.applyUpdate(sampleListUpdate({ reload: true }));
  expect(list.items).toHaveLength(250);
  await settle();

  expect(listNumbers(list)).toEqual(countDown(499, 250));
  expect(sent.map((request) => request.path)).toEqual(["/api/sessions?limit=200", "/api/sessions?cursor=300&limit=50"]);
});

test("a list that is not shown is loaded again when it is", async () => {
  let sessions = buildSessions(1);
  const sent = serve(() => sessions);
  const list = new SessionList(NO_FILTER);
  await list.loadMore();
  sessions = buildSessions(2);
  list.applyUpdate(sampleListUpdate({ reload: true }));
  await settle();
  expect(sent).toHaveLength(1);

  list.open();
  await settle();
  expect(listNumbers(list)).toEqual([1, 0]);
});

test("a failed reload shows what was there and is tried again", async () => {
  serve(() => buildSessions(1));
  const list = await openList();
  installFetch(() => ({ status: 500, body: { message: "The database is locked." } }));
  list.applyUpdate(sampleListUpdate({ reload: true }));
  await settle();
  expect([listNumbers(list), list.error]).toEqual([[0], "The database is locked."]);

  serve(() => buildSessions(2));
  list.open();
  await settle();
  expect([listNumbers(list), list.error]).toEqual([[1, 0], ""]);
});

test("a session leaves a list whose status it no longer has, and enters one whose status it gets", async () => {
  const sessions = [buildSession(0, { status: "done" }), buildWaiting(1)];
  serve(() => sessions);
  const list = await openList({ status: "waiting" });
  expect(listNumbers(list)).toEqual([1]);

  sessions[0] = buildWaiting(0);
  sessions[1] = buildSession(1, { status: "running" });
  list.applyUpdate(sampleListUpdate({ sessions: [...sessions] }));
  expect(listNumbers(list)).toEqual([]);
  await settle();
  expect(listNumbers(list)).toEqual([0]);
});

test("whether a new or renamed session matches a search is asked of the server", async () => {
  const sessions = [buildSession(0, { name: "tea" }), buildSession(1, { name: "coffee" })];
  const sent = serve(() => sessions);
  const list = await openList({ text: "tea" });
  expect(listNumbers(list)).toEqual([0]);

  list.applyUpdate(sampleListUpdate({ sessions: [buildSession(0, { name: "tea", status: "done" })] }));
  await settle();
  expect(sent).toHaveLength(1);
  sessions.push(buildSession(2, { name: "green tea" }));
  list.applyUpdate(sampleListUpdate({ sessions: [buildSession(2, { name: "green tea" })] }));
  await settle();
  expect(listNumbers(list)).toEqual([2, 0]);
  sessions[0] = buildSession(0, { name: "milk" });
  list.applyUpdate(sampleListUpdate({ sessions: [buildSession(0, { name: "milk" })] }));
  await settle();
  expect(listNumbers(list)).toEqual([2]);
});

test("the requests of a changed session take their places in the queue", async () => {
  serve(() => [buildWaiting(1), buildWaiting(5), buildWaiting(9)]);
  const queue = await openQueue();

  const several = buildSession(5, {
    pending: [
      samplePending({ request_id: "late", requested_at: 12 }),
      samplePending({ request_id: "early", requested_at: 3, kind: "consent" }),
    ],
  });
  queue.applyUpdate(sampleListUpdate({ sessions: [several, buildSession(9, { status: "done" })] }));
  expect(listTimes(queue)).toEqual([1, 3, 12]);
  queue.applyUpdate(sampleListUpdate({ deleted: ["s0005"] }));
  expect(listTimes(queue)).toEqual([1]);
});

test("a claim shows in its place, also on the last loaded request", async () => {
  serve(() => Array.from({ length: 60 }, (_, index) => buildWaiting(index)));
  const queue = await openQueue();

  queue.applyUpdate(sampleListUpdate({ sessions: [buildWaiting(49, { claimed_by: "Ada" })] }));

  expect(queue.items.map((item) => item.request.claimed_by).lastIndexOf("Ada")).toBe(49);
  await queue.loadMore();
  expect(listTimes(queue)).toEqual(Array.from({ length: 60 }, (_, index) => index));
});

test("a new request waits for its page unless the queue is loaded to its end", async () => {
  const sessions = Array.from({ length: 60 }, (_, index) => buildWaiting(index));
  serve(() => sessions);
  const queue = await openQueue();
  sessions.push(buildWaiting(60));
  queue.applyUpdate(sampleListUpdate({ sessions: [buildWaiting(60)] }));
  expect(listTimes(queue)).toHaveLength(50);

  await queue.loadMore();
  expect(listTimes(queue)).toHaveLength(61);
  queue.applyUpdate(sampleListUpdate({ sessions: [buildWaiting(61)] }));
  expect(listTimes(queue).at(-1)).toBe(61);
});

test("when all that is loaded is done, the next page is loaded", async () => {
  const sessions = Array.from({ length: 60 }, (_, index) => buildWaiting(index));
  serve(() => sessions);
  const queue = await openQueue();
  const done = sessions.splice(0, 50).map((session) => ({ ...session, status: "done" as const, pending: [] }));
  queue.applyUpdate(sampleListUpdate({ sessions: done }));
  await settle();

  expect(listTimes(queue)).toEqual(Array.from({ length: 10 }, (_, index) => 50 + index));
});

test.each<Partial<SessionFilter>>([{}, { text: "a&b=c ?" }, { status: "waiting", agent: "näh/er" }])(
  "the filter %j is the same after a reload",
  (filter) => {
    expect(parseFilter(formatFilter({ ...NO_FILTER, ...filter }))).toEqual({ ...NO_FILTER, ...filter });
  },
);

test("a status that does not exist filters nothing", () => {
  expect(parseFilter("?status=your_turn")).toEqual(NO_FILTER);
});

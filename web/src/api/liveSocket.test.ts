import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { SessionStore } from "../state/sessionStore";
import { FakeSocket, installSocket, installWindow } from "../testing/fakeBrowser";
import { sampleListUpdate, sampleRows, sampleUpdate } from "../testing/samples";
import { type ConnectionStatus, LiveSocket } from "./liveSocket";
import type { LiveUpdate } from "./types";

let events: EventTarget;
let lastSocket: () => FakeSocket;
let updates: LiveUpdate[];
let states: ConnectionStatus[];

beforeEach(() => {
  vi.useFakeTimers();
  events = installWindow();
  lastSocket = installSocket();
  updates = [];
  states = [];
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

function open(): LiveSocket {
  return new LiveSocket(
    (update) => updates.push(update),
    (connection) => states.push(connection),
  );
}

test("it connects at once, and says what to follow when it is connected", () => {
  const live = open();
  live.follow(() => ({ session_id: "s1", after_seq: 0, tail: 200 }));

  expect(lastSocket().url).toBe("ws://localhost:8080/api/live");
  expect(lastSocket().sent).toEqual([]);
  lastSocket().accept();
  expect(lastSocket().sent).toEqual([{ session_id: "s1", after_seq: 0, tail: 200, revision: 0 }]);
  expect(states).toEqual(["open"]);
});

test("a page that was loaded over https uses a secure socket", () => {
  installWindow("https://sim.example.org/");
  open();

  expect(lastSocket().url).toBe("wss://sim.example.org/api/live");
});

test("another session to follow is sent over the same connection", () => {
  const live = open();
  lastSocket().accept();
  live.follow(() => ({ session_id: "s2", after_seq: 0, tail: 200 }));

  expect(FakeSocket.all).toHaveLength(1);
  expect(lastSocket().sent.at(-1)).toMatchObject({ session_id: "s2" });
});

test("after a break it resumes after the last seq that the session has seen", () => {
  const store = new SessionStore("s1");
  const live = new LiveSocket(
    (update) => update.type === "session" && store.applyUpdate(update),
    () => undefined,
  );
  live.follow(store.buildFollow);
  lastSocket().accept();
  lastSocket().receive(sampleUpdate({ last_seq: 7, row_count: 2 }, sampleRows(0, 2)));
  lastSocket().drop();
  vi.runOnlyPendingTimers();
  lastSocket().accept();

  expect(FakeSocket.all).toHaveLength(2);
  expect(lastSocket().sent).toEqual([{ session_id: "s1", after_seq: 7, tail: 200, revision: 0 }]);
  expect(store.listLoadedRows()).toHaveLength(2);
});

test("it waits longer after each failure, but never more than four seconds", () => {
  open();
  const waits = [500, 1000, 2000, 4000, 4000];
  for (const [index, wait] of waits.entries()) {
    lastSocket().drop();
    vi.advanceTimersByTime(wait - 1);
    expect(FakeSocket.all).toHaveLength(index + 1);
    vi.advanceTimersByTime(1);
    expect(FakeSocket.all).toHaveLength(index + 2);
  }
  lastSocket().accept();
  lastSocket().drop();
  vi.advanceTimersByTime(500);

  expect(FakeSocket.all).toHaveLength(waits.length + 2);
  expect(states.slice(-2)).toEqual(["open", "lost"]);
});

test("when the network is back it connects at once, and only once", () => {
  const live = open();
  lastSocket().drop();
  events.dispatchEvent(new Event("online"));
  live.connect();
  vi.runAllTimers();

  expect(FakeSocket.all).toHaveLength(2);
});

test("updates arrive as values", () => {
  open();
  lastSocket().accept();
  lastSocket().receive(sampleListUpdate({ pending_count: 3 }));

  expect(updates).toEqual([sampleListUpdate({ pending_count: 3 })]);
});

test("a page without a session follows the lists, and after a break says which revision it has", () => {
  open();
  lastSocket().accept();
  expect(lastSocket().sent).toEqual([{ session_id: null, after_seq: 0, tail: 0, revision: 0 }]);
  lastSocket().receive(sampleListUpdate({ revision: 41 }));
  lastSocket().receive(sampleListUpdate({ revision: 42 }));
  lastSocket().drop();
  vi.runOnlyPendingTimers();
  lastSocket().accept();

  expect(lastSocket().sent).toEqual([{ session_id: null, after_seq: 0, tail: 0, revision: 42 }]);
});

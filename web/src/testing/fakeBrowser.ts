/** Stand-ins for what the browser gives the app: storage, address, network. The app's own modules are never replaced. */

import { vi } from "vitest";
import type { LiveUpdate } from "../api/types";

/** Installs an empty storage; a test that renders twice has reloaded the page. */
export function installStorage(): Map<string, string> {
  const entries = new Map<string, string>();
  vi.stubGlobal("localStorage", {
    getItem: (key: string) => entries.get(key) ?? null,
    setItem: (key: string, value: string) => void entries.set(key, value),
    removeItem: (key: string) => void entries.delete(key),
  });
  return entries;
}

/** Installs `window`, `location` and `history`, as far as the app uses them; returns `window` for its events. */
export function installWindow(url = "http://localhost:8080/"): EventTarget {
  const target = new EventTarget();
  const location = new URL(url);
  const move = (_state: unknown, _title: string, path: string) => {
    const next = new URL(path, location);
    location.pathname = next.pathname;
    location.search = next.search;
  };
  vi.stubGlobal("location", location);
  vi.stubGlobal("history", { pushState: vi.fn(move), replaceState: vi.fn(move) });
  vi.stubGlobal(
    "window",
    Object.assign(target, {
      setTimeout: (work: () => void, ms: number) => setTimeout(work, ms),
      clearTimeout: (timer: number) => clearTimeout(timer),
    }),
  );
  return target;
}

export interface SentRequest {
  method: string;
  path: string;
  body: unknown;
}

/** Installs `fetch`; `respond` answers each request with a status and a body, or throws like a dead network. */
export function installFetch(respond: (request: SentRequest) => { status?: number; body?: unknown }): SentRequest[] {
  const sent: SentRequest[] = [];
  vi.stubGlobal("fetch", async (path: string, init: { method: string; body?: string }) => {
    const request = { method: init.method, path, body: init.body === undefined ? null : JSON.parse(init.body) };
    sent.push(request);
    const { status = 200, body = null } = respond(request);
    return new Response(typeof body === "string" ? body : JSON.stringify(body), { status });
  });
  return sent;
}

/** A WebSocket whose other end is the test. */
export class FakeSocket {
  static readonly OPEN = 1;
  static all: FakeSocket[] = [];
  readyState = 0;
  readonly sent: unknown[] = [];
  onopen: () => void = () => undefined;
  onclose: () => void = () => undefined;
  onmessage: (message: { data: string }) => void = () => undefined;

  constructor(readonly url: string) {
    FakeSocket.all.push(this);
  }

  send(text: string): void {
    this.sent.push(JSON.parse(text));
  }

  accept(): void {
    this.readyState = FakeSocket.OPEN;
    this.onopen();
  }

  receive(update: LiveUpdate): void {
    this.onmessage({ data: JSON.stringify(update) });
  }

  drop(): void {
    this.readyState = 3;
    this.onclose();
  }
}

/** Installs `WebSocket`; returns the last socket that was opened. */
export function installSocket(): () => FakeSocket {
  FakeSocket.all = [];
  vi.stubGlobal("WebSocket", FakeSocket);
  return () => {
    const last = FakeSocket.all.at(-1);
    if (!last) throw new Error("no socket was opened");
    return last;
  };
}

/** Lets everything happen that waits only for promises. */
export async function settle(): Promise<void> {
  for (let round = 0; round < 20; round += 1) await Promise.resolve();
}

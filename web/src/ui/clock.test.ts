import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { getClock } from "./clock";

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
  vi.stubGlobal("window", globalThis);
});

afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

test("all that show the time share one timer, which ends with the last of them", () => {
  const clock = getClock(1000);
  const [firstListener, secondListener] = [vi.fn(), vi.fn()];
  const stopFirst = clock.subscribe(firstListener);
  const stopOther = getClock(1000).subscribe(secondListener);
  expect([getClock(1000) === clock, vi.getTimerCount()]).toEqual([true, 1]);

  vi.advanceTimersByTime(2000);
  expect([firstListener.mock.calls.length, secondListener.mock.calls.length, clock.getTime()]).toEqual([2, 2, 1002]);
  stopFirst();
  expect(vi.getTimerCount()).toBe(1);
  stopOther();
  expect(vi.getTimerCount()).toBe(0);
});

test("between ticks the time stands still, and without a listener it is not older than a tick", () => {
  const clock = getClock(5000);
  const stop = clock.subscribe(() => undefined);
  const start = clock.getTime();
  vi.advanceTimersByTime(4999);
  expect(clock.getTime()).toBe(start);
  stop();
  vi.advanceTimersByTime(60_000);

  expect(clock.getTime()).toBe(Date.now() / 1000);
});

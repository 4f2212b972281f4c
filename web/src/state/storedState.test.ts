import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { installStorage } from "../testing/fakeBrowser";
import { renderHook } from "../testing/renderHook";
import { removeStored, useStoredState } from "./storedState";

let storage: Map<string, string>;

beforeEach(() => {
  storage = installStorage();
});

afterEach(() => vi.unstubAllGlobals());

function load<T>(key: string, fallback: T): T {
  return renderHook(() => useStoredState(key, fallback))[0];
}

function store<T>(key: string, fallback: T, next: T | ((before: T) => T)): T {
  return renderHook(
    () => useStoredState(key, fallback),
    ([, set]) => set(next),
  )[0];
}

test("a value is there at once and after a reload", () => {
  expect(store("left-width", 280, 320)).toBe(320);
  expect(load("left-width", 280)).toBe(320);
});

test("a value that was never set is the fallback", () => {
  expect(load("left-width", 280)).toBe(280);
  expect(storage.size).toBe(0);
});

test("a change that is a function gets the stored value", () => {
  store<string[]>("recent", [], ["a"]);
  store<string[]>("recent", [], (before) => [...before, "b"]);

  expect(load("recent", [])).toEqual(["a", "b"]);
});

test("each key has its own value", () => {
  store("draft:s1", "", "one");
  store("draft:s2", "", "two");

  expect([load("draft:s1", ""), load("draft:s2", "")]).toEqual(["one", "two"]);
});

test("a removed value is the fallback again", () => {
  store("theme", "light", "dark");
  removeStored("theme");

  expect(load("theme", "light")).toBe("light");
});

test("what is no JSON in the storage is ignored", () => {
  storage.set("adksim:left-width", "{oops");

  expect(load("left-width", 280)).toBe(280);
});

test("a full or blocked storage costs the reload, not the value on the page", () => {
  vi.stubGlobal("localStorage", {
    getItem: () => {
      throw new DOMException("blocked");
    },
    setItem: () => {
      throw new DOMException("quota exceeded");
    },
  });

  expect(store("left-width", 280, 320)).toBe(320);
  expect(load("left-width", 280)).toBe(280);
});

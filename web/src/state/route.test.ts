import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { installWindow } from "../testing/fakeBrowser";

let events: EventTarget;
let routes: typeof import("./route");

beforeEach(async () => {
  vi.resetModules();
  events = installWindow("http://localhost:8080/sessions");
  routes = await import("./route");
});

afterEach(() => vi.unstubAllGlobals());

test.each(["s1", "a/b", "50%", "naïve 😀", "?#", ".."])("the path of session %j names it again", (id) => {
  expect(routes.parseSessionPath(routes.formatSessionPath(id))).toBe(id);
  expect(routes.parseScenarioPath(routes.formatScenarioPath(id))).toBe(id);
});

test.each(["/", "/sessions", "/sessions/", "/sessions/a/b", "/scenarios/a", "/sessions/%E0%A4%A"])(
  "%s names no session",
  (path) => {
    expect(routes.parseSessionPath(path)).toBeNull();
  },
);

test("navigating adds to the history or replaces it, and tells those who watch", () => {
  const { route } = routes;
  const listener = vi.fn();
  const unsubscribe = route.subscribe(listener);

  expect(route.path).toBe("/sessions");
  route.navigate("/agents");
  route.navigate("/queue", true);

  expect(route.path).toBe("/queue");
  expect(history.pushState).toHaveBeenCalledTimes(1);
  expect(history.replaceState).toHaveBeenCalledTimes(1);
  expect(listener).toHaveBeenCalledTimes(2);
  unsubscribe();
  route.navigate("/");
  expect(listener).toHaveBeenCalledTimes(2);
});

test("the browser's back button changes the path", () => {
  location.pathname = "/agents";
  events.dispatchEvent(new Event("popstate"));

  expect(routes.route.path).toBe("/agents");
});

test("the query string is no part of the path", () => {
  routes.route.navigate("/sessions?q=tea");

  expect([routes.route.path, routes.route.search]).toEqual(["/sessions", "?q=tea"]);
});

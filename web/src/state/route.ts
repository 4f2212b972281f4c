import { Observable } from "./observable";

/** The current path: `/`, `/agents`, `/queue`, `/sessions`, `/sessions/ID`, `/scenarios`, `/scenarios/KEY`. */
class Route extends Observable {
  path = location.pathname;
  /** The query string, with its question mark; empty without one. */
  search = location.search;

  constructor() {
    super();
    window.addEventListener("popstate", () => this.updatePath());
  }

  navigate(path: string, replace = false): void {
    if (replace) history.replaceState(null, "", path);
    else history.pushState(null, "", path);
    this.updatePath();
  }

  private updatePath(): void {
    this.path = location.pathname;
    this.search = location.search;
    this.notify();
  }
}

export const route = new Route();

export function formatSessionPath(sessionId: string): string {
  return `/sessions/${encodeURIComponent(sessionId)}`;
}

/** The session id in a path, or null. */
export function parseSessionPath(path: string): string | null {
  return decodeSegment(/^\/sessions\/([^/]+)$/.exec(path)?.[1]);
}

export function formatScenarioPath(key: string): string {
  return `/scenarios/${encodeURIComponent(key)}`;
}

/** The scenario key in a path, or null. */
export function parseScenarioPath(path: string): string | null {
  return decodeSegment(/^\/scenarios\/([^/]+)$/.exec(path)?.[1]);
}

function decodeSegment(part: string | undefined): string | null {
  try {
    return part ? decodeURIComponent(part) : null;
  } catch {
    return null;
  }
}

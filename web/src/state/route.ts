import { Watched } from "./store";

/** Where the page is: `/`, `/agents`, `/queue`, `/sessions`, `/sessions/ID`, `/scenarios`, `/scenarios/KEY`. */
class Route extends Watched {
  path = location.pathname;

  constructor() {
    super();
    window.addEventListener("popstate", () => this.arrive());
  }

  go(path: string, replace = false): void {
    if (replace) history.replaceState(null, "", path);
    else history.pushState(null, "", path);
    this.arrive();
  }

  private arrive(): void {
    this.path = location.pathname;
    this.changed();
  }
}

export const route = new Route();

export function sessionPath(sessionId: string): string {
  return `/sessions/${encodeURIComponent(sessionId)}`;
}

/** The session that an address names, if it names one. */
export function sessionOf(path: string): string | null {
  return named(/^\/sessions\/([^/]+)$/.exec(path)?.[1]);
}

export function scenarioPath(key: string): string {
  return `/scenarios/${encodeURIComponent(key)}`;
}

/** The scenario that an address names, if it names one. */
export function scenarioOf(path: string): string | null {
  return named(/^\/scenarios\/([^/]+)$/.exec(path)?.[1]);
}

function named(part: string | undefined): string | null {
  try {
    return part ? decodeURIComponent(part) : null;
  } catch {
    return null;
  }
}

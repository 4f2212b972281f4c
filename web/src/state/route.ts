import { Watched } from "./store";

/** Where the page is: `/`, `/agents`, `/queue`, `/sessions`, `/sessions/ID`. */
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
  const named = /^\/sessions\/([^/]+)$/.exec(path)?.[1];
  try {
    return named ? decodeURIComponent(named) : null;
  } catch {
    return null;
  }
}

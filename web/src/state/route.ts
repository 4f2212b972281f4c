import { Observable } from "./observable";

/** The current path: `/`, one of `LIST_PAGES`, `/sessions/ID`, `/scenarios/KEY`, `/evals/KEY`, `/evals/KEY/CASE`, `/benches/KEY` or `/benches/KEY/RUN`. */
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

export function formatBenchPath(key: string, runId = ""): string {
  const bench = `/benches/${encodeURIComponent(key)}`;
  return runId ? `${bench}/${encodeURIComponent(runId)}` : bench;
}

/** The key of a bench and the id of one of its runs in a path; the run is empty if the path names none. */
export function parseBenchPath(path: string): { benchKey: string; runId: string } | null {
  const match = /^\/benches\/([^/]+)(?:\/([^/]+))?$/.exec(path);
  const benchKey = decodeSegment(match?.[1]);
  return benchKey ? { benchKey, runId: decodeSegment(match?.[2]) ?? "" } : null;
}

export function formatEvalPath(fileKey: string, caseKey = ""): string {
  const file = `/evals/${encodeURIComponent(fileKey)}`;
  return caseKey ? `${file}/${encodeURIComponent(caseKey)}` : file;
}

/** The keys of a file of eval cases and of a case in a path; the case is empty if the path names none. */
export function parseEvalPath(path: string): { fileKey: string; caseKey: string } | null {
  const match = /^\/evals\/([^/]+)(?:\/([^/]+))?$/.exec(path);
  const fileKey = decodeSegment(match?.[1]);
  return fileKey ? { fileKey, caseKey: decodeSegment(match?.[2]) ?? "" } : null;
}

function decodeSegment(part: string | undefined): string | null {
  try {
    return part ? decodeURIComponent(part) : null;
  } catch {
    return null;
  }
}

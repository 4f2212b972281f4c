import { lazy, Suspense, useEffect, useState } from "react";
import { ApiError, api, getErrorMessage } from "./api/client";
import { LIST_PAGES } from "./pages/pageTable";
import { app } from "./state/app";
import { useObservable } from "./state/observable";
import {
  formatScenarioPath,
  formatSessionPath,
  parseBenchPath,
  parseEvalPath,
  parseScenarioPath,
  parseSessionPath,
  route,
} from "./state/route";
import { isClosed, STATUSES } from "./state/sessionStatus";
import { ErrorAlert } from "./ui/ErrorAlert";
import { ErrorBoundary } from "./ui/ErrorBoundary";
import { useTheme } from "./ui/useTheme";
import { Workbench } from "./workbench/Workbench";

const BenchPage = lazy(() => import("./benches/BenchPage"));
const BenchRunPage = lazy(() => import("./benches/BenchRunPage"));
const EvalFilePage = lazy(() => import("./evals/EvalFilePage"));
const EvalCasePage = lazy(() => import("./evals/EvalCasePage"));
const ScenarioPage = lazy(() => import("./scenario/ScenarioPage"));

/** The app: connects to the server and renders the page of the current path. */
export function App() {
  useTheme();
  const { server, error, connection } = useObservable(app);
  const { path } = useObservable(route);
  useEffect(() => void app.start(), []);
  if (error && !server) {
    return (
      <div className="empty">
        <ErrorAlert title={error}>
          <button type="button" className="button small" onClick={() => void app.start()}>
            Try again
          </button>
        </ErrorAlert>
      </div>
    );
  }
  if (!server) return null;
  return (
    <div className="shell">
      {connection === "lost" ? (
        <div className="banner" role="alert">
          <span className="spinner" />
          {error ?? "Lost the connection to the server. Your input is kept; reconnecting…"}
          <button type="button" className="button small" onClick={() => app.reconnect()}>
            Try again
          </button>
        </div>
      ) : null}
      <ErrorBoundary at={path}>
        <Suspense>
          <Page path={path} />
        </Suspense>
      </ErrorBoundary>
    </div>
  );
}

function Page({ path }: { path: string }) {
  const session = parseSessionPath(path);
  if (session) return <Workbench sessionId={session} />;
  const list = LIST_PAGES.find((page) => page.path === path);
  if (list) return <list.component />;
  const bench = parseBenchPath(path);
  if (bench?.runId) return <BenchRunPage key={path} benchKey={bench.benchKey} runId={bench.runId} />;
  if (bench) return <BenchPage key={path} benchKey={bench.benchKey} />;
  const evals = parseEvalPath(path);
  if (evals?.caseKey) return <EvalCasePage key={path} fileKey={evals.fileKey} caseKey={evals.caseKey} />;
  if (evals) return <EvalFilePage key={path} fileKey={evals.fileKey} />;
  const scenario = parseScenarioPath(path);
  if (scenario) return <ScenarioPage key={scenario} scenarioKey={scenario} />;
  return <Home />;
}

/** Redirects the start page: to the only agent's session, else to the agents, the scenarios or the queue. */
function Home() {
  const { server } = useObservable(app);
  const [error, setError] = useState("");
  const agents = server?.agents ?? [];
  const onlyAgent = agents.length === 1 ? agents[0] : undefined;
  const scenarioCount = server?.scenario_count ?? 0;
  const hasEvals = Boolean(server?.eval_file_count);
  const hasBenches = Boolean(server?.bench_count);
  useEffect(() => {
    if (hasBenches) {
      route.navigate("/benches", true);
      return;
    }
    if (hasEvals) {
      route.navigate("/evals", true);
      return;
    }
    if (!onlyAgent && agents.length === 0 && scenarioCount > 0) {
      findScenarioPath(scenarioCount).then(
        (path) => route.navigate(path, true),
        (error: unknown) => setError(getErrorMessage(error)),
      );
      return;
    }
    if (!onlyAgent) {
      route.navigate(agents.length ? "/agents" : "/queue", true);
      return;
    }
    findOrCreateSession(onlyAgent.key).then(
      (path) => route.navigate(path, true),
      (error: unknown) => {
        // Its card says why its code cannot be loaded.
        if (error instanceof ApiError && error.body.error === "AgentLoadFailed") route.navigate("/agents", true);
        else setError(getErrorMessage(error));
      },
    );
  }, [onlyAgent, agents.length, scenarioCount, hasEvals, hasBenches]);
  return error ? (
    <div className="empty">
      <ErrorAlert title={error} />
    </div>
  ) : null;
}

/** The path of the only scenario, or of the list. */
async function findScenarioPath(count: number): Promise<string> {
  const [first] = count === 1 ? await api.listScenarios() : [];
  return first ? formatScenarioPath(first.key) : "/scenarios";
}

const OPEN_STATUSES = STATUSES.filter((status) => !isClosed(status));

let pendingPath: Promise<string> | null = null;

/** Concurrent calls share one request, because StrictMode runs effects twice. */
function findOrCreateSession(key: string): Promise<string> {
  pendingPath ??= (async () => {
    const { sessions } = await api.listSessions({ status: OPEN_STATUSES });
    const before = sessions.find((session) => session.agent_key === key);
    return formatSessionPath((before ?? (await api.createSession(key))).session_id);
  })().finally(() => {
    pendingPath = null;
  });
  return pendingPath;
}

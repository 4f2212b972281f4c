import { lazy, Suspense, useEffect, useState } from "react";
import { api, words } from "./api/client";
import { Agents } from "./pages/Agents";
import { Queue } from "./pages/Queue";
import { Sessions } from "./pages/Sessions";
import { app } from "./state/app";
import { route, scenarioOf, scenarioPath, sessionOf, sessionPath } from "./state/route";
import { useWatched } from "./state/store";
import { Boundary } from "./ui/Boundary";
import { Failure } from "./ui/Failure";
import { useTheme } from "./ui/theme";
import { Workbench } from "./workbench/Workbench";

const Scenarios = lazy(() => import("./scenario/Scenarios"));
const ScenarioPage = lazy(() => import("./scenario/ScenarioPage"));

/** The whole page: finds out what is there, and shows what the address names. */
export function App() {
  useTheme();
  const { server, trouble, connection } = useWatched(app);
  const { path } = useWatched(route);
  useEffect(() => void app.start(), []);
  if (trouble && !server) {
    return (
      <div className="empty">
        <Failure title={trouble}>
          <button type="button" className="button small" onClick={() => void app.start()}>
            Try again
          </button>
        </Failure>
      </div>
    );
  }
  if (!server) return null;
  return (
    <div className="shell">
      {connection === "lost" ? (
        <div className="banner" role="alert">
          <span className="spinner" />
          {trouble ?? "The server is gone. What you typed is kept; reconnecting…"}
          <button type="button" className="button small" onClick={() => app.reconnect()}>
            Try now
          </button>
        </div>
      ) : null}
      <Boundary at={path}>
        <Suspense>
          <Page path={path} />
        </Suspense>
      </Boundary>
    </div>
  );
}

function Page({ path }: { path: string }) {
  const session = sessionOf(path);
  if (session) return <Workbench sessionId={session} />;
  if (path === "/queue") return <Queue />;
  if (path === "/sessions") return <Sessions />;
  if (path === "/agents") return <Agents />;
  if (path === "/scenarios") return <Scenarios />;
  const scenario = scenarioOf(path);
  if (scenario) return <ScenarioPage key={scenario} scenarioKey={scenario} />;
  return <Home />;
}

/** Nothing is named: the only agent's last session, or a new one; else the agents, or the scenarios. */
function Home() {
  const { server } = useWatched(app);
  const [trouble, setTrouble] = useState("");
  const agents = server?.agents ?? [];
  const only = agents.length === 1 ? agents[0] : undefined;
  const scenarios = server?.scenarios ?? 0;
  useEffect(() => {
    if (!only && agents.length === 0 && scenarios > 0) {
      openScenarios(scenarios).then(
        (path) => route.go(path, true),
        (error: unknown) => setTrouble(words(error)),
      );
      return;
    }
    if (!only) {
      route.go(agents.length ? "/agents" : "/queue", true);
      return;
    }
    openOnly(only.key).then(
      (path) => route.go(path, true),
      (error: unknown) => setTrouble(words(error)),
    );
  }, [only, agents.length, scenarios]);
  return trouble ? (
    <div className="empty">
      <Failure title={trouble} />
    </div>
  ) : null;
}

/** The only scenario, or their list. */
async function openScenarios(count: number): Promise<string> {
  const [first] = count === 1 ? await api.scenarios() : [];
  return first ? scenarioPath(first.key) : "/scenarios";
}

let opening: Promise<string> | null = null;

/** Once a page, however often it is drawn. */
function openOnly(key: string): Promise<string> {
  opening ??= (async () => {
    const before = (await api.sessions()).find((one) => one.agent === key && one.status !== "closed");
    return sessionPath((before ?? (await api.newSession(key))).session_id);
  })().finally(() => {
    opening = null;
  });
  return opening;
}

import { type ComponentType, lazy } from "react";
import type { ServerInfo } from "../api/types";

/** A page without a key in its path: its tab has the title that the page gives to its `PageFrame`. */
interface ListPage {
  path: string;
  title: string;
  component: ComponentType;
  /** Whether the server has anything to show there; always, if it is left out. */
  isShown?: (server: ServerInfo) => boolean;
}

/** The pages that have a tab, in the order of the tabs. */
export const LIST_PAGES: readonly ListPage[] = [
  { path: "/agents", title: "Agents", component: lazy(() => import("./AgentsPage")) },
  { path: "/queue", title: "Queue", component: lazy(() => import("./QueuePage")) },
  { path: "/sessions", title: "Sessions", component: lazy(() => import("./SessionsPage")) },
  {
    path: "/scenarios",
    title: "Scenarios",
    component: lazy(() => import("../scenario/ScenariosPage")),
    isShown: (server) => server.scenario_count > 0,
  },
  {
    path: "/evals",
    title: "Evals",
    component: lazy(() => import("../evals/EvalsPage")),
    isShown: (server) => server.has_evals,
  },
  {
    path: "/benches",
    title: "Benches",
    component: lazy(() => import("../benches/BenchesPage")),
    isShown: (server) => server.bench_count > 0,
  },
];

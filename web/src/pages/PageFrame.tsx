import type { ReactNode } from "react";
import { app } from "../state/app";
import { useObservable } from "../state/observable";
import { ThemeAndHelpButtons } from "../workbench/ThemeAndHelpButtons";
import { Link } from "./Link";
import "./pages.css";

const PAGES = [
  ["/agents", "Agents"],
  ["/queue", "Queue"],
  ["/sessions", "Sessions"],
  ["/scenarios", "Scenarios"],
  ["/evals", "Evals"],
  ["/benches", "Benches"],
] as const;

/** The layout of all pages except the workbench. */
export function PageFrame({
  title,
  children,
  fillsWindow = false,
  hasOwnHeading = false,
}: {
  title: string;
  children: ReactNode;
  /** The page fills the window and scrolls inside itself. */
  fillsWindow?: boolean;
  /** The page has a visible heading. */
  hasOwnHeading?: boolean;
}) {
  const { pendingCount, server } = useObservable(app);
  const pages = PAGES.filter(
    ([path]) =>
      (path !== "/scenarios" || server?.scenario_count) &&
      (path !== "/evals" || server?.has_evals) &&
      (path !== "/benches" || server?.bench_count),
  );
  return (
    <div className="workbench">
      <header className="header page-header">
        <b>adksim</b>
        <nav className="tabs" aria-label="Pages">
          {pages.map(([path, name]) => (
            <Link key={path} to={path} className="tab page-tab" current={name === title}>
              {name}
              {name === "Queue" && pendingCount ? <span className="badge">{pendingCount}</span> : null}
            </Link>
          ))}
        </nav>
        <span className="grow" />
        <ThemeAndHelpButtons />
      </header>
      <main className={fillsWindow ? "page-whole" : "page scroll"} aria-label={title}>
        {hasOwnHeading ? null : <h1 className="sr-only">{title}</h1>}
        {children}
      </main>
    </div>
  );
}

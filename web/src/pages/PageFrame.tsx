import type { ReactNode } from "react";
import { app } from "../state/app";
import { useWatched } from "../state/store";
import { Tools } from "../workbench/PageTools";
import { Link } from "./Link";
import "./pages.css";

const PLACES = [
  ["/agents", "Agents"],
  ["/queue", "Queue"],
  ["/sessions", "Sessions"],
  ["/scenarios", "Scenarios"],
] as const;

/** What all pages but the workbench look like. */
export function PageFrame({
  title,
  children,
  whole = false,
}: {
  title: string;
  children: ReactNode;
  /** The page fills the window and scrolls inside itself. */
  whole?: boolean;
}) {
  const { yourTurns, server } = useWatched(app);
  const places = PLACES.filter(([path]) => path !== "/scenarios" || server?.scenarios);
  return (
    <div className="workbench">
      <header className="header page-header">
        <b>adk-agent-sim</b>
        <nav className="tabs" aria-label="Pages">
          {places.map(([path, name]) => (
            <Link key={path} to={path} className="tab page-tab" current={name === title}>
              {name}
              {name === "Queue" && yourTurns ? <span className="badge">{yourTurns}</span> : null}
            </Link>
          ))}
        </nav>
        <span className="grow" />
        <Tools />
      </header>
      <main className={whole ? "page-whole" : "page scroll"} aria-label={title}>
        {children}
      </main>
    </div>
  );
}

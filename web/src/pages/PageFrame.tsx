import type { ReactNode } from "react";
import { app } from "../state/app";
import { route } from "../state/route";
import { useWatched } from "../state/store";
import { Tools } from "../workbench/PageTools";
import "./pages.css";

const PLACES = [
  ["/agents", "Agents"],
  ["/sessions", "Sessions"],
] as const;

/** What all pages but the workbench look like. */
export function PageFrame({ title, children }: { title: string; children: ReactNode }) {
  useWatched(app);
  return (
    <div className="workbench">
      <header className="header page-header">
        <b>adk-agent-sim</b>
        <nav className="tabs" aria-label="Pages">
          {PLACES.map(([path, name]) => (
            <a
              key={path}
              href={path}
              className="tab page-tab"
              aria-current={name === title ? "page" : undefined}
              onClick={(event) => {
                if (event.ctrlKey || event.metaKey || event.shiftKey) return;
                event.preventDefault();
                route.go(path);
              }}
            >
              {name}
            </a>
          ))}
        </nav>
        <span className="grow" />
        <Tools />
      </header>
      <main className="page scroll" aria-label={title}>
        {children}
      </main>
    </div>
  );
}

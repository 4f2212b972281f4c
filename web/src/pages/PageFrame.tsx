import type { ReactNode } from "react";
import { app } from "../state/app";
import { useObservable } from "../state/observable";
import { ThemeAndHelpButtons } from "../workbench/ThemeAndHelpButtons";
import { Link } from "./Link";
import { LIST_PAGES } from "./pageTable";
import "./pages.css";

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
  const pages = LIST_PAGES.filter(({ isShown }) => !isShown || (server && isShown(server)));
  return (
    <div className="workbench">
      <header className="header page-header">
        <b>adksim</b>
        <nav className="tabs" aria-label="Pages">
          {pages.map((page) => (
            <Link key={page.path} to={page.path} className="tab page-tab" current={page.title === title}>
              {page.title}
              {page.title === "Queue" && pendingCount ? <span className="badge">{pendingCount}</span> : null}
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

import type { ReactNode } from "react";

/** The composer's title, and a line that explains it. */
export function ComposerHeader({ title, children }: { title: ReactNode; children?: ReactNode }) {
  return (
    <header className="composer-head">
      <h2>{title}</h2>
      {children ? <p className="quiet">{children}</p> : null}
    </header>
  );
}

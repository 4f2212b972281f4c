import type { ReactNode } from "react";

/** What is waited for, in one line; what it means, in a second. */
export function ComposerHead({ title, children }: { title: ReactNode; children?: ReactNode }) {
  return (
    <header className="composer-head">
      <h2>{title}</h2>
      {children ? <p className="quiet">{children}</p> : null}
    </header>
  );
}

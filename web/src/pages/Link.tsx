import type { ReactNode } from "react";
import { route } from "../state/route";

/** A link inside the app: a plain click navigates without a reload, modified clicks are the browser's. */
export function Link({
  to,
  children,
  className,
  current,
  opensRow = false,
}: {
  to: string;
  children: ReactNode;
  className?: string;
  current?: boolean;
  /** The link opens the table row that it is in. */
  opensRow?: boolean;
}) {
  return (
    <a
      href={to}
      className={className}
      data-row-link={opensRow || undefined}
      aria-current={current ? "page" : undefined}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey) return;
        event.preventDefault();
        route.navigate(to);
      }}
    >
      {children}
    </a>
  );
}

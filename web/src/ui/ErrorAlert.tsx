import type { ReactNode } from "react";
import { CopyButton } from "./CopyButton";

/** An error: what happened, why, and what to do. */
export function ErrorAlert({ title, details, children }: { title: string; details?: string; children?: ReactNode }) {
  return (
    <div className="notice failed" role="alert">
      <span>{title}</span>
      {details ? <pre className="quiet">{details}</pre> : null}
      <div className="notice-actions">
        {children}
        <CopyButton
          text={details ? `${title}\n${details}` : title}
          label="Copy details"
          accessibleName={`Copy details: ${title}`}
        />
      </div>
    </div>
  );
}

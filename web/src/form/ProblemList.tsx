import type { ReactNode } from "react";
import type { FieldProblem } from "../api/types";

interface ProblemListProps {
  id?: string;
  problems: readonly FieldProblem[];
  /** The path at which the list is shown, which is not repeated. */
  at?: string;
  children?: ReactNode;
}

/** Problems, each with its path unless it is the list's own. */
export function ProblemList({ id, problems, at = "", children }: ProblemListProps) {
  return (
    <div id={id} className="sf-problems">
      {children === null || children === undefined ? null : <p>{children}</p>}
      {problems.map((problem) => (
        <p key={`${problem.path} ${problem.message}`}>
          {problem.path === at ? null : <code>{problem.path}</code>} {problem.message}
        </p>
      ))}
    </div>
  );
}

import type { RefObject } from "react";
import type { FieldProblem } from "../api/types";
import { formatCount } from "../ui/format";

/** The number of problems; a click focuses the first. */
export function ProblemCount({ problems, frame }: { problems: FieldProblem[]; frame: RefObject<HTMLElement | null> }) {
  if (problems.length === 0) return null;
  const go = () => {
    const wrong = frame.current?.querySelector<HTMLElement>("[aria-invalid='true'], .sf-problems:not(:empty)");
    wrong?.scrollIntoView({ block: "center" });
    wrong?.focus();
  };
  return (
    <button type="button" className="button plain small problem-count" onClick={go} title="Go to the first">
      {formatCount(problems.length, "problem")}
    </button>
  );
}

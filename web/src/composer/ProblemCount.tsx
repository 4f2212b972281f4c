import type { RefObject } from "react";
import type { Problem } from "../api/types";
import { count } from "../ui/format";

/** How much is wrong; goes to the first of it. */
export function ProblemCount({ problems, frame }: { problems: Problem[]; frame: RefObject<HTMLElement | null> }) {
  if (problems.length === 0) return null;
  const go = () => {
    const wrong = frame.current?.querySelector<HTMLElement>("[aria-invalid='true'], .sf-problems:not(:empty)");
    wrong?.scrollIntoView({ block: "center" });
    wrong?.focus();
  };
  return (
    <button type="button" className="button plain small problem-count" onClick={go} title="Go to the first">
      {count(problems.length, "problem")}
    </button>
  );
}

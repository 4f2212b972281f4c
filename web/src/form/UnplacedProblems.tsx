import { type RefObject, useLayoutEffect, useState } from "react";
import { formatPath, type Path } from "../json/path";
import { isInside, useFormContext } from "./formContext";
import { ProblemList } from "./ProblemList";

/** Problems whose field is not rendered, so that none is hidden. */
export function UnplacedProblems({ frame }: { frame: RefObject<HTMLElement | null> }) {
  const { problems, draft, showAll } = useFormContext();
  const [unplaced, setUnplaced] = useState("");

  useLayoutEffect(() => {
    const fields = [...(frame.current?.querySelectorAll<HTMLElement>("[data-path]") ?? [])].map((element) => ({
      path: formatPath(JSON.parse(element.dataset.path ?? "[]") as Path),
      closed: element.dataset.closed === "true",
    }));
    const isShown = (path: string) =>
      fields.some((field) => field.path === path || (field.closed && isInside(path, field.path)));
    setUnplaced(JSON.stringify(problems.filter((problem) => !isShown(problem.path))));
  });

  if (unplaced === "" || unplaced === "[]" || !(showAll || Object.keys(draft.touched).length > 0)) {
    return null;
  }
  return <ProblemList problems={JSON.parse(unplaced)} />;
}

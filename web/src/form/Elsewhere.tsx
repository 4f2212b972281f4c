import { type RefObject, useLayoutEffect, useState } from "react";
import { dotted, type Path } from "../json/path";
import { ProblemList } from "./ProblemList";
import { isInside, useScope } from "./scope";

/** Problems whose field is not on the page, so that none is lost. */
export function Elsewhere({ frame }: { frame: RefObject<HTMLElement | null> }) {
  const { problems, draft, showAll } = useScope();
  const [lost, setLost] = useState("");

  useLayoutEffect(() => {
    const drawn = [...(frame.current?.querySelectorAll<HTMLElement>("[data-path]") ?? [])].map((element) => ({
      path: dotted(JSON.parse(element.dataset.path ?? "[]") as Path),
      closed: element.dataset.closed === "true",
    }));
    const isTold = (path: string) => drawn.some((one) => one.path === path || (one.closed && isInside(path, one.path)));
    setLost(JSON.stringify(problems.filter((one) => !isTold(one.path))));
  });

  if (lost === "" || lost === "[]" || !(showAll || Object.keys(draft.left).length > 0)) {
    return null;
  }
  return <ProblemList problems={JSON.parse(lost)} />;
}

import { useEffect, useRef, useState } from "react";
import { api } from "../api/client";
import type { CheckInput, FieldProblem } from "../api/types";
import type { FormDraft, Schema } from "../form";
import { readFormJson } from "./drafts";

const PAUSE_MS = 250;

/** The server's check of a form, repeated when the form changes; only the latest response counts. */
export function useFormCheck(sessionId: string, turnId: string | null) {
  const [problems, setProblems] = useState<FieldProblem[]>([]);
  const latest = useRef(0);
  const timer = useRef(0);
  useEffect(() => () => window.clearTimeout(timer.current), []);

  const checkNow = (target: CheckInput["target"], toolName: string, draft: FormDraft, schema: Schema) => {
    window.clearTimeout(timer.current);
    // What was asked about earlier text does not count any more, also if this one cannot be read.
    latest.current += 1;
    const read = readFormJson(draft, schema);
    if (!("text" in read)) return;
    const number = latest.current;
    const showLatest = (reported: FieldProblem[]) => {
      if (number === latest.current) setProblems(reported.map(toFormProblem));
    };
    api
      .checkValue(sessionId, turnId, { target, tool_name: toolName, value: read.text })
      .then(showLatest, () => undefined);
  };
  return {
    problems,
    /** Shows the problems of the form, which a check or a rejected request reported. */
    showProblems: (reported: FieldProblem[]) => {
      latest.current += 1;
      setProblems(reported.map(toFormProblem));
    },
    checkNow,
    /** Checks after a pause in typing. */
    checkSoon: (...asked: Parameters<typeof checkNow>) => {
      window.clearTimeout(timer.current);
      timer.current = window.setTimeout(() => checkNow(...asked), PAUSE_MS);
    },
    clear: () => {
      window.clearTimeout(timer.current);
      latest.current += 1;
      setProblems([]);
    },
  };
}

/** A problem of the form: a check calls its only call the first one, whatever was collected before it. */
export function toFormProblem({ path, message }: FieldProblem): FieldProblem {
  return { path, message };
}

/** The problems to show: at touched fields, or all after an attempt to send. */
export function filterVisibleProblems(
  problems: FieldProblem[],
  draft: FormDraft | null,
  showAll: boolean,
): FieldProblem[] {
  return showAll ? problems : problems.filter((problem) => draft?.touched[toPointer(problem.path)]);
}

/** Converts `items[0].name` to the form's key `/items/0/name`. */
function toPointer(path: string): string {
  return (
    path &&
    `/${path
      .replaceAll(/\[(\d+)\]/g, ".$1")
      .split(".")
      .join("/")}`
  );
}

import { useEffect, useRef, useState } from "react";
import { api } from "../api/client";
import type { Problem, ValueToCheck } from "../api/types";
import type { FormDraft, Schema } from "../form";
import { reading } from "./drafts";

const PAUSE_MS = 250;

/** What the server says of a form, asked again when the form has changed; only the latest answer counts. */
export function useChecks(sessionId: string, turnId: string | null) {
  const [problems, setProblems] = useState<Problem[]>([]);
  const latest = useRef(0);
  const timer = useRef(0);
  useEffect(() => () => window.clearTimeout(timer.current), []);

  const now = (what: ValueToCheck["what"], tool: string, draft: FormDraft, schema: Schema) => {
    window.clearTimeout(timer.current);
    const read = reading(draft, schema);
    if (!("text" in read)) return;
    latest.current += 1;
    const number = latest.current;
    const told = (found: Problem[]) => {
      if (number === latest.current) setProblems(found);
    };
    api.check(sessionId, turnId, { what, tool, value: read.text }).then(told, () => undefined);
  };
  return {
    problems,
    /** What a refusal said. */
    take: setProblems,
    now,
    /** When the typing pauses: what was wrong may be right by then. */
    soon: (...asked: Parameters<typeof now>) => {
      window.clearTimeout(timer.current);
      timer.current = window.setTimeout(() => now(...asked), PAUSE_MS);
    },
    clear: () => {
      window.clearTimeout(timer.current);
      latest.current += 1;
      setProblems([]);
    },
  };
}

/** The problems that a person can see: at fields that were left, or all once sending was tried. */
export function visible(problems: Problem[], draft: FormDraft | null, all: boolean): Problem[] {
  return all ? problems : problems.filter((one) => draft?.left[pointer(one.path)]);
}

/** `items[0].name` as the form names it, `/items/0/name`. */
function pointer(path: string): string {
  return (
    path &&
    `/${path
      .replaceAll(/\[(\d+)\]/g, ".$1")
      .split(".")
      .join("/")}`
  );
}

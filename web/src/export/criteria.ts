import type { CriteriaInfo, EvalCriteria } from "../api/types";

/** The criteria of `adk eval` as they are typed: numbers as text, rubrics as lines. */
export interface CriteriaDraft {
  calls: CriteriaInfo["calls"];
  rouge: string;
  rubrics: string;
  toolRubrics: string;
  rubricScore: string;
  judgeModel: string;
}

const DEFAULTS: CriteriaDraft = {
  calls: "exact",
  rouge: "0.8",
  rubrics: "",
  toolRubrics: "",
  rubricScore: "0.8",
  judgeModel: "gemini-2.5-flash",
};

/** The draft to begin with: what the file has now, or what `adk eval` does without a file. */
export function createCriteriaDraft(current: CriteriaInfo | null | undefined): CriteriaDraft {
  if (!current) return DEFAULTS;
  return {
    calls: current.calls,
    rouge: current.rouge === null ? "" : String(current.rouge),
    rubrics: current.rubrics.join("\n"),
    toolRubrics: current.tool_rubrics.join("\n"),
    rubricScore: String(current.rubric_score),
    judgeModel: current.judge_model,
  };
}

/** What is sent to the server, which checks it. */
export function buildCriteria(draft: CriteriaDraft): EvalCriteria {
  return {
    calls: draft.calls,
    rouge: draft.rouge.trim() ? Number(draft.rouge) : null,
    rubrics: splitLines(draft.rubrics),
    tool_rubrics: splitLines(draft.toolRubrics),
    rubric_score: Number(draft.rubricScore),
    judge_model: draft.judgeModel.trim() || DEFAULTS.judgeModel,
  };
}

/** Why the criteria cannot be sent; empty if they can. */
export function findCriteriaProblem(draft: CriteriaDraft): string {
  if (draft.rouge.trim() && !isScore(draft.rouge)) return "The similarity of the response is a number from 0 to 1.";
  if (hasRubrics(draft) && !isScore(draft.rubricScore)) return "The share of rubrics is a number from 0 to 1.";
  return "";
}

export function hasRubrics(draft: CriteriaDraft): boolean {
  return splitLines(`${draft.rubrics}\n${draft.toolRubrics}`).length > 0;
}

function isScore(text: string): boolean {
  const value = Number(text);
  return text.trim() !== "" && value >= 0 && value <= 1;
}

function splitLines(text: string): string[] {
  return text
    .split("\n")
    .map((line) => line.trim())
    .filter(Boolean);
}

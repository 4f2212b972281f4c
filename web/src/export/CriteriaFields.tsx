import { RadioButtons } from "../ui/RadioButtons";
import { type CriteriaDraft, findCriteriaProblem, hasRubrics } from "./criteria";

const CALL_OPTIONS = [
  { value: "exact", label: "Exact" },
  { value: "in-order", label: "In order" },
  { value: "any-order", label: "Any order" },
  { value: "off", label: "Not compared" },
] as const;

const CALL_HINTS: Record<CriteriaDraft["calls"], string> = {
  exact: "The same calls in the same order, and no others.",
  "in-order": "The same calls in the same order; others may be between them.",
  "any-order": "The same calls in any order; others may be made too.",
  off: "Whatever tools are called.",
};

/** What `adk eval` compares, for the test_config.json beside the EvalSet; null while it is left alone. */
export function CriteriaFields({
  path,
  draft,
  onOpen,
  onChange,
}: {
  path: string;
  draft: CriteriaDraft | null;
  onOpen: () => void;
  onChange: (draft: CriteriaDraft | null) => void;
}) {
  return (
    <section className="criteria" aria-label="Criteria">
      <label>
        <input
          type="checkbox"
          checked={draft !== null}
          onChange={(event) => (event.target.checked ? onOpen() : onChange(null))}
        />{" "}
        Also write the criteria of <code>adk eval</code> to <code>{path}</code>
      </label>
      {draft ? <OpenFields draft={draft} onChange={onChange} /> : null}
    </section>
  );
}

function OpenFields({ draft, onChange }: { draft: CriteriaDraft; onChange: (draft: CriteriaDraft) => void }) {
  const problem = findCriteriaProblem(draft);
  const change = (changes: Partial<CriteriaDraft>) => onChange({ ...draft, ...changes });
  return (
    <>
      <div>
        <div className="quiet">Tool calls</div>
        <RadioButtons
          label="Tool calls"
          options={CALL_OPTIONS}
          value={draft.calls}
          onChange={(calls) => change({ calls })}
        />
        <div className="quiet">{CALL_HINTS[draft.calls]}</div>
      </div>
      <label className="export-path">
        <span className="quiet">Similarity of the response from 0 to 1 (ROUGE-1); empty to not compare it</span>
        <input
          className="input mono"
          inputMode="decimal"
          value={draft.rouge}
          onChange={(event) => change({ rouge: event.target.value })}
        />
      </label>
      <label className="export-path">
        <span className="quiet">Rubrics for the response, one per line</span>
        <textarea
          className="input"
          rows={2}
          placeholder="The answer names the price."
          value={draft.rubrics}
          onChange={(event) => change({ rubrics: event.target.value })}
        />
      </label>
      <label className="export-path">
        <span className="quiet">Rubrics for the use of tools, one per line</span>
        <textarea
          className="input"
          rows={2}
          placeholder="The agent looks the order up before it refunds it."
          value={draft.toolRubrics}
          onChange={(event) => change({ toolRubrics: event.target.value })}
        />
      </label>
      {hasRubrics(draft) ? (
        <>
          <label className="export-path">
            <span className="quiet">Model that judges the rubrics</span>
            <input
              className="input mono"
              spellCheck={false}
              value={draft.judgeModel}
              onChange={(event) => change({ judgeModel: event.target.value })}
            />
          </label>
          <label className="export-path">
            <span className="quiet">Share of the rubrics that must be true, from 0 to 1</span>
            <input
              className="input mono"
              inputMode="decimal"
              value={draft.rubricScore}
              onChange={(event) => change({ rubricScore: event.target.value })}
            />
          </label>
        </>
      ) : null}
      {problem ? (
        <p className="problem-count" role="alert">
          {problem}
        </p>
      ) : null}
    </>
  );
}

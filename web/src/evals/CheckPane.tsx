import { useRef, useState } from "react";
import { api } from "../api/client";
import type { CaseCheckInfo, ComparedTurnInfo, EvalCaseDetail, MetricScore } from "../api/types";
import { useFetch } from "../api/useFetch";
import { ErrorAlert } from "../ui/ErrorAlert";
import { useAction } from "../ui/useAction";
import { CaseBadge } from "./CaseBadge";
import { describeMetric, formatScore } from "./scoreText";

/** What a replay found: the badge, what is not as recorded, ADK's scores, and where the trajectory differs. */
export function CheckPane({
  fileKey,
  detail,
  hasAgent,
  isBusy,
  error,
}: {
  fileKey: string;
  detail: EvalCaseDetail;
  hasAgent: boolean;
  isBusy: boolean;
  error: string;
}) {
  const [compared, setCompared] = useState<{ fingerprint: string; check: CaseCheckInfo } | null>(null);
  const check = compared?.fingerprint === detail.case.fingerprint ? compared.check : detail.check;
  return (
    <div className="ev-check scroll">
      <p className="ev-verdict" role="status">
        <CaseBadge badge={detail.case.badge} isBusy={isBusy} />
        <span>{isBusy ? "The real tools are called; no model is." : detail.case.badge.reason}</span>
      </p>
      {error ? <ErrorAlert title={error} /> : null}
      {hasAgent && detail.check === null && !isBusy ? (
        <p className="quiet">
          A replay calls the agent's real tools with the recorded arguments, and compares their results. No model is
          called.
        </p>
      ) : null}
      <CompareMenu
        fileKey={fileKey}
        detail={detail}
        onCompared={(comparison) =>
          setCompared(comparison ? { fingerprint: detail.case.fingerprint, check: comparison } : null)
        }
      />
      {check ? <CheckView check={check} actualLabel={check === detail.check ? "now" : "other"} /> : null}
    </div>
  );
}

/** Chooses another recording of the server's files to compare with, such as a session of the agent's own model. */
function CompareMenu({
  fileKey,
  detail,
  onCompared,
}: {
  fileKey: string;
  detail: EvalCaseDetail;
  onCompared: (check: CaseCheckInfo | null) => void;
}) {
  const { data: others } = useFetch(() => listOthers(fileKey, detail.case.key), `${fileKey}/${detail.case.key}`);
  const { error, run } = useAction();
  const chosenCount = useRef(0);
  if (!others?.length) return null;
  const choose = (value: string) => {
    const other = others[Number(value)];
    chosenCount.current += 1;
    const number = chosenCount.current;
    if (value === "" || !other) {
      onCompared(null);
      return;
    }
    const { file_key, case_key } = other;
    void run(async () => {
      const comparison = await api.compareEvalCase(fileKey, detail.case.key, { file_key, case_key });
      // Another one may have been chosen since.
      if (number === chosenCount.current) onCompared(comparison);
    });
  };
  return (
    <>
      <label className="ev-compare">
        Compare with
        <select className="input" onChange={(event) => choose(event.target.value)}>
          <option value="">its replay</option>
          {others.map((other, index) => (
            <option key={`${other.file_key}/${other.case_key}`} value={index}>
              {other.label}
            </option>
          ))}
        </select>
      </label>
      {error ? <ErrorAlert title={error.message} /> : null}
    </>
  );
}

interface OtherCase {
  file_key: string;
  case_key: string;
  label: string;
}

/** The cases of the other files; the same conversation is likely elsewhere, not in the same file. */
async function listOthers(fileKey: string, caseKey: string): Promise<OtherCase[]> {
  const files = (await api.listEvalFiles()).filter((file) => file.key !== fileKey && !file.problem);
  const openFiles = await Promise.all(files.map((file) => api.getEvalFile(file.key)));
  return openFiles.flatMap((file) =>
    file.cases
      .filter((evalCase) => evalCase.key !== caseKey || file.key !== fileKey)
      .map((evalCase) => ({
        file_key: file.key,
        case_key: evalCase.key,
        label: `${evalCase.eval_id} of ${file.path.split("/").at(-1) ?? file.path}`,
      })),
  );
}

function CheckView({ check, actualLabel }: { check: CaseCheckInfo; actualLabel: string }) {
  return (
    <>
      {check.differences.length ? (
        <section className="ev-part" aria-label="Not as recorded">
          <h3>Not as recorded</h3>
          {check.differences.map((difference, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the differences of one check keep their order
            <div key={index} className="ev-difference">
              <p>
                {difference.what}
                <span className="quiet">
                  {` after message ${difference.message_number}`}
                  {difference.agent_name ? `, ${difference.agent_name}` : ""}
                </span>
              </p>
              <ValuePair before={difference.recorded} after={difference.found} labels={["recorded", "now"]} />
            </div>
          ))}
        </section>
      ) : null}
      {check.notes.map((note) => (
        <p key={note} className="quiet">
          {note}
        </p>
      ))}
      {check.problem ? <ErrorAlert title={check.problem} /> : null}
      {check.metrics.length ? <MetricTable check={check} /> : null}
      {check.turns.length ? <Trajectory turns={check.turns} actualLabel={actualLabel} /> : null}
    </>
  );
}

function ValuePair({ before, after, labels }: { before: string; after: string; labels: readonly [string, string] }) {
  return (
    <div className="ev-pair">
      {[before, after].map((text, index) => (
        <div key={labels[index]}>
          <span className="quiet">{labels[index]}</span>
          <pre className="mono scroll">{text}</pre>
        </div>
      ))}
    </div>
  );
}

function MetricTable({ check }: { check: CaseCheckInfo }) {
  return (
    <section className="ev-part" aria-label="Scores">
      <h3>Scores</h3>
      <p className="quiet">
        ADK's own metrics compare {check.source} with the case; criteria{" "}
        {check.config_path ? <code>{check.config_path}</code> : "are ADK's defaults"}.
      </p>
      <table className="table">
        <thead>
          <tr>
            <th>Metric</th>
            <th className="ev-number">Score</th>
            <th className="ev-number">Needed</th>
            <th>Result</th>
          </tr>
        </thead>
        <tbody>
          {check.metrics.map((metric) => (
            <MetricRow key={metric.name} metric={metric} />
          ))}
        </tbody>
      </table>
    </section>
  );
}

function MetricRow({ metric }: { metric: MetricScore }) {
  return (
    <tr>
      <td title={metric.name}>{describeMetric(metric.name)}</td>
      <td className="ev-number">{formatScore(metric.score)}</td>
      <td className="ev-number">{metric.threshold ?? "–"}</td>
      <td className={metric.is_passed === false ? "ev-problem" : ""}>
        {metric.is_passed === null ? metric.note : metric.is_passed ? "passed" : "failed"}
      </td>
    </tr>
  );
}

const CALL_MARKS = { same: "=", changed: "≠", missing: "−", extra: "+" } as const;
const CALL_TITLES = {
  same: "As in the case",
  changed: "Called differently",
  missing: "In the case, but not called",
  extra: "Called, but not in the case",
} as const;

function Trajectory({ turns, actualLabel }: { turns: readonly ComparedTurnInfo[]; actualLabel: string }) {
  const isSame = turns.every((turn) => turn.calls.every((call) => call.status === "same"));
  return (
    <section className="ev-part" aria-label="Trajectory">
      <h3>Trajectory</h3>
      {isSame ? <p className="quiet">The tools are called as in the case.</p> : null}
      {turns.map((turn, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the turns of one check keep their order
        <div key={index} className="ev-trajectory">
          <h4>User turn {index + 1}</h4>
          <ol>
            {turn.calls.map((call, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the calls of one check keep their order
              <li key={place} data-status={call.status}>
                <span className="ev-mark" title={CALL_TITLES[call.status]}>
                  {CALL_MARKS[call.status]}
                  <span className="sr-only"> {CALL_TITLES[call.status]}: </span>
                </span>
                {call.status === "same" || call.status === "missing" ? (
                  <Call name={call.expected_name} args={call.expected_arguments} />
                ) : call.status === "extra" ? (
                  <Call name={call.actual_name} args={call.actual_arguments} />
                ) : (
                  <div className="ev-changed">
                    <Call label="case" name={call.expected_name} args={call.expected_arguments} />
                    <Call label={actualLabel} name={call.actual_name} args={call.actual_arguments} />
                  </div>
                )}
              </li>
            ))}
          </ol>
          {turn.expected_response === turn.actual_response ? null : (
            <ValuePair
              before={turn.expected_response}
              after={turn.actual_response}
              labels={["response", actualLabel]}
            />
          )}
        </div>
      ))}
    </section>
  );
}

function Call({ name, args, label = "" }: { name: string; args: string; label?: string }) {
  return (
    <span className="mono ev-call">
      {label ? <span className="quiet">{label} </span> : null}
      <b>{name}</b> {args.replace(/\s*\n\s*/g, " ")}
    </span>
  );
}

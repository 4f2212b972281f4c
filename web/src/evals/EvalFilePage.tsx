import { useCallback, useEffect, useRef, useState } from "react";
import { api, getErrorMessage } from "../api/client";
import type { EvalCaseInfo, EvalEditResult, EvalFileInfo } from "../api/types";
import { Link } from "../pages/Link";
import { PageFrame } from "../pages/PageFrame";
import { formatEvalPath } from "../state/route";
import { ErrorAlert } from "../ui/ErrorAlert";
import { formatCount } from "../ui/format";
import { CaseBadge } from "./CaseBadge";
import { CaseMenu } from "./CaseMenu";
import { ConvertButton } from "./ConvertButton";
import { EditButtons } from "./EditButtons";
import { hasFailed, summarizeScores } from "./scoreText";
import { usePolledFetch } from "./usePolledFetch";
import "./evals.css";

/** The cases of a file: a table with a badge for each, to replay, open and edit. */
export default function EvalFilePage({ fileKey }: { fileKey: string }) {
  const { data: file, error, replace, reload } = usePolledFetch(() => api.getEvalFile(fileKey));
  return (
    <PageFrame title="Evals" fillsWindow hasOwnHeading>
      {error ? <ErrorAlert title={error} /> : null}
      {file ? (
        <FileView file={file} onEdited={(result) => replace(result.file)} onChecked={reload} />
      ) : error ? null : (
        <p className="quiet ev-loading">Loading…</p>
      )}
    </PageFrame>
  );
}

function FileView({
  file,
  onEdited,
  onChecked,
}: {
  file: EvalFileInfo;
  onEdited: (result: EvalEditResult) => void;
  onChecked: () => void;
}) {
  const replays = useReplays(file, onChecked);
  const drifted = file.cases.filter((evalCase) => evalCase.badge.state === "drifted").length;
  const facts = [
    formatCount(file.cases.length, "case"),
    drifted ? `${drifted} drifted` : "",
    file.kind === "session" ? "a session of ADK" : "",
    file.is_editable ? "" : "read-only",
  ].filter(Boolean);
  return (
    <>
      <div className="ev-head">
        <div className="grow">
          <h1 title={file.path}>{file.path}</h1>
          <p className="quiet">{facts.join(" · ")}</p>
        </div>
        <EditButtons file={file} onEdited={onEdited} />
        <ConvertButton key={file.key} file={file} />
        {replays.isRunning ? (
          <button type="button" className="button small" onClick={replays.stop}>
            Stop after this case
          </button>
        ) : (
          <button
            type="button"
            className="button small primary"
            title={
              file.has_agent
                ? "Call the real tools of all cases again, without a model, and compare"
                : "No agent was named: start with --agent DIR"
            }
            disabled={!file.has_agent || !file.cases.length}
            onClick={() => void replays.start(file.cases)}
          >
            Replay all
          </button>
        )}
      </div>
      {replays.error ? <ErrorAlert title={replays.error} /> : null}
      {file.cases.length ? (
        <CaseTable file={file} busyKey={replays.busyKey} onEdited={onEdited} />
      ) : (
        <div className="empty">
          <p>This EvalSet has no cases. Export a session to it, and it appears here.</p>
        </div>
      )}
    </>
  );
}

function CaseTable({
  file,
  busyKey,
  onEdited,
}: {
  file: EvalFileInfo;
  busyKey: string;
  onEdited: (result: EvalEditResult) => void;
}) {
  return (
    <div className="ev-table scroll">
      <table className="table" aria-label="Cases">
        <thead>
          <tr>
            <th>Case</th>
            <th>First message</th>
            <th className="ev-number">Turns</th>
            <th className="ev-number">Calls</th>
            <th>Replay</th>
            <th>Scores</th>
            <th>
              <span className="sr-only">Actions</span>
            </th>
          </tr>
        </thead>
        <tbody>
          {file.cases.map((evalCase) => (
            <CaseRow
              key={evalCase.key}
              file={file}
              evalCase={evalCase}
              isBusy={evalCase.key === busyKey}
              onEdited={onEdited}
            />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function CaseRow({
  file,
  evalCase,
  isBusy,
  onEdited,
}: {
  file: EvalFileInfo;
  evalCase: EvalCaseInfo;
  isBusy: boolean;
  onEdited: (result: EvalEditResult) => void;
}) {
  return (
    <tr>
      <td className="ev-name">
        <Link to={formatEvalPath(file.key, evalCase.key)}>{evalCase.eval_id}</Link>
      </td>
      <td className="ev-message" title={evalCase.first_message}>
        {evalCase.first_message}
      </td>
      <td className="ev-number">{evalCase.turn_count}</td>
      <td className="ev-number">{evalCase.call_count}</td>
      <td className="ev-state">
        <div>
          <CaseBadge badge={evalCase.badge} isBusy={isBusy} />
          {evalCase.badge.state === "drifted" || evalCase.badge.state === "not_replayable" ? (
            <span className="quiet">{evalCase.badge.reason}</span>
          ) : null}
        </div>
      </td>
      <td className={hasFailed(evalCase.metrics) ? "ev-scores ev-problem" : "ev-scores"}>
        {summarizeScores(evalCase.metrics) || "–"}
      </td>
      <td className="ev-menu">
        {file.is_editable ? (
          <CaseMenu fileKey={file.key} evalCase={evalCase} neighbours={file.cases} onEdited={onEdited} />
        ) : null}
      </td>
    </tr>
  );
}

/** Replays cases one after the other, so that their badges appear as they come. */
function useReplays(file: EvalFileInfo, onChecked: () => void) {
  const [busyKey, setBusyKey] = useState("");
  const [error, setError] = useState("");
  const wantsStop = useRef(false);
  const start = async (cases: readonly EvalCaseInfo[]) => {
    wantsStop.current = false;
    setError("");
    for (const evalCase of cases) {
      if (wantsStop.current) break;
      setBusyKey(evalCase.key);
      try {
        await api.checkEvalCase(file.key, evalCase.key);
      } catch (error) {
        setError(getErrorMessage(error));
      }
      onChecked();
    }
    setBusyKey("");
  };
  const stop = useCallback(() => {
    wantsStop.current = true;
  }, []);
  // The tools of the other cases are not called once nobody sees the page.
  useEffect(() => stop, [stop]);
  return { busyKey, error, isRunning: busyKey !== "", start, stop };
}

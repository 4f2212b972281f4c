import { useState } from "react";
import { api } from "../api/client";
import type { ExportInput, ExportResult, SessionInfo } from "../api/types";
import { JsonTextTree } from "../json/JsonTree";
import { app } from "../state/app";
import { CopyButton } from "../ui/CopyButton";
import { Dialog } from "../ui/Dialog";
import { ErrorAlert } from "../ui/ErrorAlert";
import { formatAgo, formatCount } from "../ui/format";
import { useAction } from "../ui/useAction";

type Format = ExportInput["format"] & string;

/** Writes the session as a golden trace, and shows what was written. */
export function ExportDialog({ session, onClose }: { session: SessionInfo; onClose: () => void }) {
  const [format, setFormat] = useState<Format>("evalset");
  const [result, setResult] = useState<ExportResult | null>(null);
  const { isBusy, error, run, clearError } = useAction();
  const agent = app.findAgent(session.agent_key);
  const earlierExports = (session.exports ?? []).filter((one) => one.format === format);
  const exportTrace = (overrides: Partial<ExportInput> = {}) =>
    run(async () => {
      setResult(await api.exportSession(session.session_id, { format, again: false, anyway: false, ...overrides }));
      void app.refresh();
    });
  const isAlreadyExported = error?.code === "AlreadyExported";
  return (
    <Dialog
      title="Export a golden trace"
      onClose={onClose}
      footer={
        result ? (
          <button type="button" className="button primary" onClick={onClose}>
            Done
          </button>
        ) : (
          <>
            <button type="button" className="button" onClick={onClose}>
              Not now
            </button>
            <button type="button" className="button primary" disabled={isBusy} onClick={() => void exportTrace()}>
              {format === "evalset" ? "Write the case" : "Write the fixture"}
            </button>
          </>
        )
      }
    >
      {result ? (
        <ExportSummary result={result} />
      ) : (
        <>
          <div className="segments" role="radiogroup" aria-label="Format">
            {(["evalset", "adk_test"] as const).map((one) => (
              // biome-ignore lint/a11y/useSemanticElements: it is a button styled as a segment
              <button
                key={one}
                type="button"
                role="radio"
                aria-checked={format === one}
                className="segment"
                onClick={() => {
                  setFormat(one);
                  clearError();
                }}
              >
                {one === "evalset" ? "Case of an EvalSet" : "Fixture for adk test"}
              </button>
            ))}
          </div>
          {format === "evalset" ? (
            <p>
              Appends this session as a case to <code>{agent?.eval_set_path ?? "the EvalSet"}</code>
              {agent?.eval_case_count == null
                ? ", which will be created."
                : `, which holds ${formatCount(agent.eval_case_count, "case")}.`}{" "}
              <span className="quiet">
                <code>adk eval</code> compares your calls and answers with those of the agent's model.
              </span>
            </p>
          ) : (
            <p>
              Writes a file that <code>adk test</code> replays, comparing every event.{" "}
              <span className="quiet">It detects when a tool, a prompt or a callback changes what happens.</span>
            </p>
          )}
          {earlierExports.length && !error ? (
            <p className="notice">
              Exported {formatAgo(earlierExports.at(-1)?.exported_at ?? 0)} as{" "}
              <code>{earlierExports.at(-1)?.eval_id}</code>.
            </p>
          ) : null}
          {error ? (
            <ErrorAlert title={error.message}>
              {error.canSendAnyway ? (
                <button
                  type="button"
                  className="button small"
                  onClick={() => void exportTrace(isAlreadyExported ? { again: true } : { again: true, anyway: true })}
                >
                  {isAlreadyExported ? "Export again" : "Write it anyway"}
                </button>
              ) : null}
            </ErrorAlert>
          ) : null}
        </>
      )}
    </Dialog>
  );
}

function ExportSummary({ result }: { result: ExportResult }) {
  return (
    <>
      <p>
        Written as <code>{result.record.eval_id}</code> to <code>{result.record.path}</code>.
      </p>
      <div className="command">
        <pre className="grow">{result.command}</pre>
        <CopyButton text={result.command} />
      </div>
      {result.notes.map((note) => (
        <p key={note} className="notice">
          {note}
        </p>
      ))}
      <details>
        <summary>The case</summary>
        <JsonTextTree text={result.case_json} />
      </details>
    </>
  );
}

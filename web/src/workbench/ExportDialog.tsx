import { useState } from "react";
import { api } from "../api/client";
import type { AgentInfo, ExportFormatInfo, ExportInput, ExportResult, SessionInfo } from "../api/types";
import { JsonTextTree } from "../json/JsonTree";
import { app } from "../state/app";
import { useObservable } from "../state/observable";
import { CodeText } from "../ui/CodeText";
import { CopyButton } from "../ui/CopyButton";
import { Dialog } from "../ui/Dialog";
import { ErrorAlert } from "../ui/ErrorAlert";
import { formatAgo, formatCount } from "../ui/format";
import { RadioButtons } from "../ui/RadioButtons";
import { useAction } from "../ui/useAction";

/** Writes the session in one of the formats that the server lists, and shows what was written. */
export function ExportDialog({ session, onClose }: { session: SessionInfo; onClose: () => void }) {
  const { server } = useObservable(app);
  const formats = server?.export_formats ?? [];
  const [chosenName, setChosenName] = useState<ExportFormatInfo["name"] | null>(null);
  const format = formats.find((one) => one.name === chosenName) ?? formats[0];
  const [result, setResult] = useState<ExportResult | null>(null);
  const { isBusy, error, run, clearError } = useAction();
  const earlierExports = (session.exports ?? []).filter((one) => one.format === format?.name);
  const exportTrace = (overrides: Partial<ExportInput> = {}) =>
    run(async () => {
      if (!format) return;
      const input = { format: format.name, again: false, anyway: false, include_rejected: false, ...overrides };
      setResult(await api.exportSession(session.session_id, input));
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
            Close
          </button>
        ) : (
          <>
            <button type="button" className="button" onClick={onClose}>
              Cancel
            </button>
            <button
              type="button"
              className="button primary"
              disabled={isBusy || !format}
              onClick={() => void exportTrace()}
            >
              Write the file
            </button>
          </>
        )
      }
    >
      {result ? (
        <ExportSummary result={result} />
      ) : (
        <>
          {format ? (
            <RadioButtons
              label="Format"
              options={formats.map((one) => ({ value: one.name, label: <CodeText text={one.label} /> }))}
              value={format.name}
              onChange={(name) => {
                setChosenName(name);
                clearError();
              }}
            />
          ) : null}
          {format ? <FormatDescription format={format} agent={app.findAgent(session.agent_key)} /> : null}
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

/** What the export writes, and where. A format that the browser has no words for is described by its table entry. */
function FormatDescription({ format, agent }: { format: ExportFormatInfo; agent: AgentInfo | undefined }) {
  switch (format.name) {
    case "evalset":
      return (
        <p>
          Appends this session as a case to <code>{agent?.eval_set_path ?? "the EvalSet"}</code>
          {agent?.eval_case_count == null
            ? ", which will be created."
            : `, which holds ${formatCount(agent.eval_case_count, "case")}.`}{" "}
          <span className="quiet">
            <code>adk eval</code> compares your calls and answers with those of the agent's model.
          </span>
        </p>
      );
    case "adk-test":
      return (
        <p>
          Writes a file that <code>adk test</code> replays, comparing every event.{" "}
          <span className="quiet">It detects when a tool, a prompt or a callback changes what happens.</span>
        </p>
      );
    default:
      return (
        <p>
          Writes a <code>{format.extension}</code> file.{" "}
          {format.requirement ? (
            <span className="quiet">
              The session needs <CodeText text={format.requirement} />.
            </span>
          ) : null}
        </p>
      );
  }
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
        <summary>The exported JSON</summary>
        <JsonTextTree text={result.case_json} />
      </details>
    </>
  );
}

import { useEffect, useState } from "react";
import { api, getErrorMessage } from "../api/client";
import type { AgentInfo, ExportFormatInfo, ExportInput, ExportPreview, ExportResult, SessionInfo } from "../api/types";
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

/** Shows what an export would write and leave out, writes it, and shows what was written. */
export function ExportDialog({ session, onClose }: { session: SessionInfo; onClose: () => void }) {
  const { server } = useObservable(app);
  const formats = server?.export_formats ?? [];
  const [chosenName, setChosenName] = useState<ExportFormatInfo["name"] | null>(null);
  const format = formats.find((one) => one.name === chosenName) ?? formats[0];
  const [path, setPath] = useState<string | null>(null);
  const [includesRejected, setIncludesRejected] = useState(false);
  const [result, setResult] = useState<ExportResult | null>(null);
  const { preview, previewError } = useExportPreview(session.session_id, format?.name, path, includesRejected);
  const { isBusy, error, run, clearError } = useAction();
  const earlierExports = (session.exports ?? []).filter((one) => one.format === format?.name);
  const exportTrace = (overrides: Partial<ExportInput> = {}) =>
    run(async () => {
      if (!format) return;
      const input = buildInput(format.name, path, includesRejected, overrides);
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
                setPath(null);
                clearError();
              }}
            />
          ) : null}
          {format ? <FormatDescription format={format} agent={app.findAgent(session.agent_key)} /> : null}
          {preview ? (
            <ExportPreviewView
              // The field starts anew with the path that the server has resolved.
              key={preview.path}
              preview={preview}
              includesRejected={includesRejected}
              onPathChange={setPath}
              onIncludeRejected={setIncludesRejected}
            />
          ) : null}
          {previewError && !error ? (
            <ErrorAlert title={previewError}>
              {path !== null ? (
                <button type="button" className="button small" onClick={() => setPath(null)}>
                  Use the default file
                </button>
              ) : null}
            </ErrorAlert>
          ) : null}
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

function buildInput(
  format: ExportFormatInfo["name"],
  path: string | null,
  includesRejected: boolean,
  overrides: Partial<ExportInput> = {},
): ExportInput {
  return { format, path, again: false, anyway: false, include_rejected: includesRejected, ...overrides };
}

/** What the export would write now; null until the server has answered, and if it cannot be exported. */
function useExportPreview(
  sessionId: string,
  format: ExportFormatInfo["name"] | undefined,
  path: string | null,
  includesRejected: boolean,
) {
  const [preview, setPreview] = useState<ExportPreview | null>(null);
  const [previewError, setPreviewError] = useState("");
  useEffect(() => {
    if (!format) return;
    let isCancelled = false;
    api.previewExport(sessionId, buildInput(format, path, includesRejected)).then(
      (answer) => {
        if (isCancelled) return;
        setPreview(answer);
        setPreviewError("");
      },
      (error: unknown) => {
        if (isCancelled) return;
        setPreview(null);
        setPreviewError(getErrorMessage(error));
      },
    );
    return () => {
      isCancelled = true;
    };
  }, [sessionId, format, path, includesRejected]);
  return { preview, previewError };
}

/** The file and the case, what is left out, and every warning, grouped, before anything is written. */
export function ExportPreviewView({
  preview,
  includesRejected,
  onPathChange,
  onIncludeRejected,
}: {
  preview: ExportPreview;
  includesRejected: boolean;
  onPathChange: (path: string) => void;
  onIncludeRejected: (includes: boolean) => void;
}) {
  const [typedPath, setTypedPath] = useState(preview.path);
  const canIncludeRejected = includesRejected || preview.left_out.some((one) => one.includes("structured response"));
  return (
    <>
      <label className="export-path">
        <span className="quiet">File, in {preview.folder}</span>
        <input
          className="input mono"
          value={typedPath}
          spellCheck={false}
          onChange={(event) => setTypedPath(event.target.value)}
          onBlur={() => {
            if (typedPath.trim() && typedPath !== preview.path) onPathChange(typedPath.trim());
          }}
        />
      </label>
      <p>
        {preview.is_appended ? "Adds the case" : "Creates the file with"} <code>{preview.eval_id}</code>.
      </p>
      <NoteGroup title="Left out" notes={preview.left_out} />
      {canIncludeRejected ? (
        <label>
          <input
            type="checkbox"
            checked={includesRejected}
            onChange={(event) => onIncludeRejected(event.target.checked)}
          />{" "}
          Include rejected structured responses
        </label>
      ) : null}
      <NoteGroup title="Warnings" notes={preview.warnings} />
      <NoteGroup title="Cannot be replayed" notes={preview.obstacles} />
      <details>
        <summary>The JSON to be written</summary>
        <JsonTextTree text={preview.case_json} />
      </details>
    </>
  );
}

function NoteGroup({ title, notes }: { title: string; notes: string[] }) {
  if (notes.length === 0) return null;
  return (
    <section className="notice" aria-label={title}>
      <b>{title}</b>
      <ul className="export-notes">
        {notes.map((note) => (
          <li key={note}>
            <CodeText text={note} />
          </li>
        ))}
      </ul>
    </section>
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
      <NoteGroup title="Left out" notes={result.left_out} />
      <NoteGroup title="Warnings" notes={result.warnings} />
      <details>
        <summary>The exported JSON</summary>
        <JsonTextTree text={result.case_json} />
      </details>
    </>
  );
}

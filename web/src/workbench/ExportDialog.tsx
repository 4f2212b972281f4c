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
  /** The file that was chosen; null for the one that the agent's config names. */
  const [path, setPath] = useState<string | null>(null);
  /** What is in the field, if that is not the file as the server has resolved it. */
  const [typedPath, setTypedPath] = useState<string | null>(null);
  const [includesRejected, setIncludesRejected] = useState(false);
  const [result, setResult] = useState<ExportResult | null>(null);
  const { preview, previewError } = useExportPreview(session.session_id, format?.name, path, includesRejected);
  const { isBusy, error, run, clearError } = useAction();
  // biome-ignore lint/correctness/useExhaustiveDependencies: the field shows the resolved file, unless it was edited since
  useEffect(() => setTypedPath((typed) => (typed?.trim() === path ? null : typed)), [preview]);
  const choosePath = (chosen: string | null) => {
    setPath(chosen);
    clearError();
  };
  const earlierExports = (session.exports ?? []).filter((one) => one.format === format?.name);
  const exportTrace = (overrides: Partial<ExportInput> = {}) =>
    run(async () => {
      if (!format) return;
      const input = buildInput(format.name, typedPath?.trim() || path, includesRejected, overrides);
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
                setTypedPath(null);
                choosePath(null);
              }}
            />
          ) : null}
          {format ? (
            <FormatDescription
              format={format}
              agent={app.findAgent(session.agent_key)}
              isDefaultFile={path === null && typedPath === null}
            />
          ) : null}
          {preview ? (
            <ExportPathField
              folder={preview.folder}
              value={typedPath ?? (previewError && path ? path : preview.path)}
              onType={setTypedPath}
              onChoose={(typed) => {
                if (typed.trim() && typed.trim() !== (path ?? preview.path)) choosePath(typed.trim());
              }}
            />
          ) : null}
          {previewError && !error ? (
            <ErrorAlert title={previewError}>
              {path !== null ? (
                <button
                  type="button"
                  className="button small"
                  onClick={() => {
                    setTypedPath(null);
                    choosePath(null);
                  }}
                >
                  Use the default file
                </button>
              ) : null}
            </ErrorAlert>
          ) : null}
          {preview && !previewError ? (
            <ExportPreviewView
              preview={preview}
              includesRejected={includesRejected}
              onIncludeRejected={setIncludesRejected}
            />
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

/** What the export would write now; null until the server has answered. With an error, the last one stays. */
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
        setPreviewError(getErrorMessage(error));
      },
    );
    return () => {
      isCancelled = true;
    };
  }, [sessionId, format, path, includesRejected]);
  return { preview, previewError };
}

/** The file to write; a path that is chosen with Enter, or by leaving the field, is relative to the folder. */
export function ExportPathField({
  folder,
  value,
  onType,
  onChoose,
}: {
  folder: string;
  value: string;
  onType: (path: string) => void;
  onChoose: (path: string) => void;
}) {
  return (
    <label className="export-path">
      <span className="quiet">File, in {folder}</span>
      <input
        className="input mono"
        value={value}
        spellCheck={false}
        onChange={(event) => onType(event.target.value)}
        onBlur={() => onChoose(value)}
        onKeyDown={(event) => {
          if (event.key === "Enter") onChoose(value);
        }}
      />
    </label>
  );
}

/** The case, what is left out, and every warning, grouped, before anything is written. */
export function ExportPreviewView({
  preview,
  includesRejected,
  onIncludeRejected,
}: {
  preview: ExportPreview;
  includesRejected: boolean;
  onIncludeRejected: (includes: boolean) => void;
}) {
  const canIncludeRejected = includesRejected || preview.left_out.some((one) => one.includes("structured response"));
  return (
    <>
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
function FormatDescription({
  format,
  agent,
  isDefaultFile,
}: {
  format: ExportFormatInfo;
  agent: AgentInfo | undefined;
  isDefaultFile: boolean;
}) {
  switch (format.name) {
    case "evalset":
      return (
        <p>
          Appends this session as a case to{" "}
          {isDefaultFile ? <code>{agent?.eval_set_path ?? "the EvalSet"}</code> : "this EvalSet."}
          {!isDefaultFile
            ? ""
            : agent?.eval_case_count == null
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

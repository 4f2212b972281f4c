import type { SessionRecord } from "../api/types";
import { app } from "../state/app";
import { ReplaceChoice } from "../timetravel/ReplaceChoice";
import { CodeText } from "../ui/CodeText";
import { Dialog } from "../ui/Dialog";
import { ErrorAlert } from "../ui/ErrorAlert";
import { formatAgo } from "../ui/format";
import { RadioButtons } from "../ui/RadioButtons";
import { CriteriaFields } from "./CriteriaFields";
import { ExportPathField } from "./ExportPathField";
import { ExportPreviewView } from "./ExportPreviewView";
import { ExportSummary } from "./ExportSummary";
import { FormatDescription } from "./FormatDescription";
import { useExport } from "./useExport";

/** Shows what an export would write and leave out, writes it, and shows what was written. */
export function ExportDialog({ session, onClose }: { session: SessionRecord; onClose: () => void }) {
  const draft = useExport(session);
  const { result } = draft;
  return (
    <Dialog
      title="Export"
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
              disabled={draft.isBusy || !draft.format || draft.isLoading || draft.hasCriteriaProblem}
              // Leaving the field would change what is above this button: it would move while it is pressed.
              onMouseDown={(event) => event.preventDefault()}
              onClick={() => void draft.write()}
            >
              Write the file
            </button>
          </>
        )
      }
    >
      {result ? <ExportSummary result={result} /> : <ExportForm session={session} draft={draft} />}
    </Dialog>
  );
}

/** The choices before an export, with what it would write. */
function ExportForm({ session, draft }: { session: SessionRecord; draft: ReturnType<typeof useExport> }) {
  const { formats, format, preview, previewError, error } = draft;
  const lastExport = (session.exports ?? []).findLast((written) => written.format === format?.name);
  const isAlreadyExported = error?.code === "AlreadyExported";
  return (
    <>
      {format ? (
        <>
          <RadioButtons
            label="Format"
            options={formats.map((option) => ({ value: option.name, label: <CodeText text={option.label} /> }))}
            value={format.name}
            onChange={draft.chooseFormat}
          />
          <FormatDescription
            format={format}
            agent={app.findAgent(session.agent_key)}
            isDefaultFile={draft.isDefaultPath}
          />
        </>
      ) : null}
      {preview?.replaceable ? (
        <ReplaceChoice old={preview.replaceable} isChosen={draft.replaces} onChange={draft.chooseReplaces} />
      ) : null}
      {preview && !draft.replaces ? (
        <ExportPathField
          folder={preview.folder}
          value={draft.shownPath}
          onType={draft.typePath}
          onChoose={draft.choosePath}
        />
      ) : null}
      {previewError && !error ? (
        <ErrorAlert title={previewError}>
          {draft.canUseDefaultPath ? (
            <button type="button" className="button small" onClick={draft.chooseDefaultPath}>
              Use the default file
            </button>
          ) : null}
        </ErrorAlert>
      ) : null}
      {preview && !previewError ? (
        <ExportPreviewView
          preview={preview}
          isRedactable={format?.is_redactable ?? false}
          isReplaced={draft.replaces}
          includesRejected={draft.includesRejected}
          onIncludeRejected={draft.setIncludesRejected}
          onRedact={draft.setRedacts}
        />
      ) : null}
      {preview?.criteria_path && !previewError ? (
        <CriteriaFields
          path={preview.criteria_path}
          draft={draft.criteria}
          onOpen={draft.openCriteria}
          onChange={draft.setCriteria}
        />
      ) : null}
      {lastExport && !error && !preview?.replaceable ? (
        <p className="notice">
          Exported {formatAgo(lastExport.exported_at)} as <code>{lastExport.eval_id}</code>.
        </p>
      ) : null}
      {error ? (
        <ErrorAlert title={error.message}>
          {error.canForce ? (
            <button
              type="button"
              className="button small"
              onClick={() => void draft.write(isAlreadyExported ? { again: true } : { again: true, force: true })}
            >
              {isAlreadyExported ? "Export again" : "Write it anyway"}
            </button>
          ) : null}
        </ErrorAlert>
      ) : null}
    </>
  );
}

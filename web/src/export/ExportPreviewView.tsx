import type { ExportPreview } from "../api/types";
import { JsonTextTree } from "../json/JsonTree";
import { NoteGroup } from "./NoteGroup";

/** The case, what is left out, and every warning, grouped, before anything is written. */
export function ExportPreviewView({
  preview,
  isReplaced = false,
  isRedactable,
  includesRejected,
  onIncludeRejected,
  onRedact,
}: {
  preview: ExportPreview;
  /** Whether it takes the place of an earlier one. */
  isReplaced?: boolean;
  isRedactable: boolean;
  includesRejected: boolean;
  onIncludeRejected: (includes: boolean) => void;
  onRedact: (redacts: boolean) => void;
}) {
  const canIncludeRejected = includesRejected || preview.left_out.some((note) => note.includes("structured response"));
  return (
    <>
      <p>
        {isReplaced ? "Replaces" : preview.is_appended ? "Adds the case" : "Creates the file with"}{" "}
        <code>{preview.eval_id}</code>.
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
      {isRedactable ? (
        <label>
          <input type="checkbox" checked={preview.is_redacted} onChange={(event) => onRedact(event.target.checked)} />{" "}
          Remove secrets
        </label>
      ) : null}
      <NoteGroup title="Warnings" notes={preview.warnings} />
      <NoteGroup title="Cannot be replayed" notes={preview.obstacles} />
      {preview.text ? (
        <details>
          <summary>What will be written</summary>
          <JsonTextTree text={preview.text} />
        </details>
      ) : null}
    </>
  );
}

import type { ExportPreview } from "../api/types";
import { JsonTextTree } from "../json/JsonTree";
import { NoteGroup } from "./NoteGroup";

/** The case, what is left out, and every warning, grouped, before anything is written. */
export function ExportPreviewView({
  preview,
  isReplaced = false,
  includesRejected,
  onIncludeRejected,
}: {
  preview: ExportPreview;
  /** Whether it takes the place of an earlier one. */
  isReplaced?: boolean;
  includesRejected: boolean;
  onIncludeRejected: (includes: boolean) => void;
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
      <NoteGroup title="Warnings" notes={preview.warnings} />
      <NoteGroup title="Cannot be replayed" notes={preview.obstacles} />
      <details>
        <summary>The JSON to be written</summary>
        <JsonTextTree text={preview.case_json} />
      </details>
    </>
  );
}

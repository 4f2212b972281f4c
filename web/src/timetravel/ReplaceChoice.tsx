import type { ExportEntry } from "../api/types";
import { formatAgo } from "../ui/format";

/** Whether a corrected session replaces what was exported before, or is kept beside it. */
export function ReplaceChoice({
  old,
  isChosen,
  onChange,
}: {
  old: ExportEntry;
  isChosen: boolean;
  onChange: (isChosen: boolean) => void;
}) {
  return (
    <div className="notice">
      <p>
        Exported {old.exported_at ? formatAgo(old.exported_at) : "before"} as <code>{old.eval_id}</code>.
      </p>
      <label>
        <input type="checkbox" checked={isChosen} onChange={(event) => onChange(event.target.checked)} /> Replace it;
        otherwise it is kept, and this one is added
      </label>
    </div>
  );
}

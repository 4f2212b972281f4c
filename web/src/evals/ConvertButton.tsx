import { useState } from "react";
import { api } from "../api/client";
import type { EvalConversionResult, EvalFileInfo } from "../api/types";
import { Link } from "../pages/Link";
import { formatEvalPath } from "../state/route";
import { formatCount } from "../ui/format";
import { useAction } from "../ui/useAction";

/** Writes the cases of a file that can only be read to a new EvalSet beside it, and leads there. */
export function ConvertButton({ file }: { file: EvalFileInfo }) {
  const [converted, setConverted] = useState<EvalConversionResult | null>(null);
  const { isBusy, error, run } = useAction();
  if (file.is_editable) return null;
  if (converted) return <ConversionNote converted={converted} />;
  return (
    <>
      {error ? (
        <span className="ev-problem" role="alert">
          {error.message}
        </span>
      ) : null}
      <button
        type="button"
        className="button small"
        title="Write the cases to a new EvalSet beside this file, whose cases can be edited; this file stays as it is"
        disabled={isBusy || !file.cases.length}
        onClick={() => void run(async () => setConverted(await api.convertEvalFile(file.key)))}
      >
        Convert to an EvalSet
      </button>
    </>
  );
}

function ConversionNote({ converted }: { converted: EvalConversionResult }) {
  const { case_count: cases, omitted_turn_count: omitted } = converted;
  return (
    <>
      <span className="ev-note quiet" role="status" title={converted.path}>
        Wrote {formatCount(cases, "case")}
        {omitted ? `; left out ${formatCount(omitted, "user turn")} without a final response` : ""}.
      </span>
      <Link to={formatEvalPath(converted.key)} className="button small">
        Open the new file
      </Link>
    </>
  );
}

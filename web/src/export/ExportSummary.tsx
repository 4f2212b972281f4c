import type { ExportResult } from "../api/types";
import { JsonTextTree } from "../json/JsonTree";
import { Link } from "../pages/Link";
import { formatEvalPath } from "../state/route";
import { CopyButton } from "../ui/CopyButton";
import { NoteGroup } from "./NoteGroup";

/** What was written, where, and the command that runs it. */
export function ExportSummary({ result }: { result: ExportResult }) {
  return (
    <>
      <p>
        Written as <code>{result.eval_id}</code> to <code>{result.path}</code>
        {result.criteria_path ? (
          <>
            , with the criteria in <code>{result.criteria_path}</code>
          </>
        ) : null}
        .
        {result.eval_case ? (
          <>
            {" "}
            <Link to={formatEvalPath(result.eval_case.file_key, result.eval_case.case_key)}>Open the case</Link>
          </>
        ) : null}
      </p>
      {result.command ? (
        <div className="command">
          <pre className="grow">{result.command}</pre>
          <CopyButton text={result.command} />
        </div>
      ) : null}
      <NoteGroup title="Left out" notes={result.left_out} />
      <NoteGroup title="Warnings" notes={result.warnings} />
      {result.text ? (
        <details>
          <summary>What was written</summary>
          <JsonTextTree text={result.text} />
        </details>
      ) : null}
    </>
  );
}

import type { AgentInfo, ExportFormat } from "../api/types";
import { CodeText } from "../ui/CodeText";
import { formatCount } from "../ui/format";

/** What the export writes, and where. A format that the browser has no words for is described by its table entry. */
export function FormatDescription({
  format,
  agent,
  isDefaultFile,
}: {
  format: ExportFormat;
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

import { useEffect } from "react";
import { api } from "../api/client";
import { useFetch } from "../api/useFetch";
import { Link } from "../pages/Link";
import { PageFrame } from "../pages/PageFrame";
import { formatEvalPath, route } from "../state/route";
import { ErrorAlert } from "../ui/ErrorAlert";
import "./evals.css";

/** The files of eval cases that the server was started with, or of its agents; a single one opens at once. */
export default function EvalsPage() {
  const { data: files, error } = useFetch(api.listEvalFiles, "");
  const only = files?.length === 1 ? files[0] : undefined;
  useEffect(() => {
    if (only) route.navigate(formatEvalPath(only.key), true);
  }, [only]);
  return (
    <PageFrame title="Evals">
      {error ? <ErrorAlert title={error} /> : null}
      {files?.length === 0 ? (
        <div className="empty">
          <p>The folders of the agents have no EvalSets. Export a session as a golden trace, and it appears here.</p>
          <button type="button" className="button primary" onClick={() => route.navigate("/agents")}>
            Choose an agent
          </button>
        </div>
      ) : null}
      {files && files.length > 1 ? (
        <table className="table">
          <thead>
            <tr>
              <th>File</th>
              <th>Kind</th>
              <th>Cases</th>
            </tr>
          </thead>
          <tbody>
            {files.map((file) => (
              <tr key={file.key}>
                <td>
                  <Link to={formatEvalPath(file.key)}>{file.path}</Link>
                  {file.problem ? <p className="ev-problem">{file.problem}</p> : null}
                </td>
                <td>{file.kind === "session" ? "ADK session" : "EvalSet"}</td>
                <td>{file.case_count.toLocaleString("en")}</td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : null}
    </PageFrame>
  );
}

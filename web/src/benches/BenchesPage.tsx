import { useEffect } from "react";
import { api } from "../api/client";
import { useFetch } from "../api/useFetch";
import { Link } from "../pages/Link";
import { PageFrame } from "../pages/PageFrame";
import { formatBenchPath, route } from "../state/route";
import { ErrorAlert } from "../ui/ErrorAlert";

/** The benches that the server was started with; a single one opens at once. */
export default function BenchesPage() {
  const { data: benches, error } = useFetch(api.listBenches, "");
  const only = benches?.length === 1 ? benches[0] : undefined;
  useEffect(() => {
    if (only) route.navigate(formatBenchPath(only.key), true);
  }, [only]);
  return (
    <PageFrame title="Benches">
      {error ? <ErrorAlert title={error} /> : null}
      {benches && !only ? (
        <table className="table">
          <thead>
            <tr>
              <th>Bench</th>
              <th>Runs</th>
              <th>Passed</th>
              <th>Status</th>
              <th>Folder</th>
            </tr>
          </thead>
          <tbody>
            {benches.map((bench) => (
              <tr key={bench.key}>
                <td>
                  <Link to={formatBenchPath(bench.key)}>{bench.name}</Link>
                </td>
                <td>
                  {bench.finished.toLocaleString("en")} of {bench.planned.toLocaleString("en")}
                </td>
                <td>{bench.passed.toLocaleString("en")}</td>
                <td>{bench.is_running ? "running" : bench.finished < bench.planned ? "stopped" : "finished"}</td>
                <td>
                  <code className="quiet">{bench.path}</code>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : null}
    </PageFrame>
  );
}

import { api } from "../api/client";
import { Link } from "../pages/Link";
import { PageFrame } from "../pages/PageFrame";
import { formatScenarioPath } from "../state/route";
import { ErrorAlert } from "../ui/ErrorAlert";
import { useFetch } from "./useFetch";
import "./scenario.css";

/** The scenarios that the server was started with. */
export default function ScenariosPage() {
  const { data: scenarios, error } = useFetch(api.listScenarios, "");
  return (
    <PageFrame title="Scenarios">
      {error ? <ErrorAlert title={error} /> : null}
      {scenarios ? (
        <table className="table">
          <thead>
            <tr>
              <th>Scenario</th>
              <th>Events</th>
              <th>Apps</th>
              <th>Decision</th>
              <th>File</th>
            </tr>
          </thead>
          <tbody>
            {scenarios.map((one) => (
              <tr key={one.key}>
                <td>
                  <Link to={formatScenarioPath(one.key)}>{one.scenario_id}</Link>
                </td>
                <td>{one.event_count.toLocaleString("en")}</td>
                <td>{one.app_count}</td>
                <td className="sc-decision">
                  {one.validation_decision
                    ? `${formatDecision(one.validation_decision)}${one.annotator ? ` by ${one.annotator}` : ""}`
                    : "none yet"}
                </td>
                <td>
                  <code className="quiet">{one.path}</code>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : error ? null : (
        <p className="quiet">Loading…</p>
      )}
    </PageFrame>
  );
}

/** A validation decision as text. */
export function formatDecision(decision: string): string {
  return decision.replaceAll("_", " ");
}

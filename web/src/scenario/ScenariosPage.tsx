import { api } from "../api/client";
import { useFetch } from "../api/useFetch";
import { Link } from "../pages/Link";
import { PageFrame } from "../pages/PageFrame";
import { formatScenarioPath } from "../state/route";
import { ErrorAlert } from "../ui/ErrorAlert";
import { CheckBadge } from "./CheckBadge";
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
              <th>Check</th>
              <th>Decision</th>
              <th>File</th>
            </tr>
          </thead>
          <tbody>
            {scenarios.map((scenario) => (
              <tr key={scenario.key}>
                <td>
                  <Link to={formatScenarioPath(scenario.key)}>{scenario.scenario_id}</Link>
                </td>
                <td>{scenario.event_count.toLocaleString("en")}</td>
                <td>{scenario.app_count}</td>
                <td>
                  <CheckBadge scenarioKey={scenario.key} name={scenario.scenario_id} status={scenario.check_status} />
                </td>
                <td className="sc-decision">
                  {scenario.validation_decision
                    ? `${formatDecision(scenario.validation_decision)}${scenario.annotator ? ` by ${scenario.annotator}` : ""}`
                    : "none yet"}
                </td>
                <td>
                  <code className="quiet">{scenario.path}</code>
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

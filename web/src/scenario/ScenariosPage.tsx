import { api } from "../api/client";
import { useFetch } from "../api/useFetch";
import { Link } from "../pages/Link";
import { PageFrame } from "../pages/PageFrame";
import { ErrorAlert } from "../ui/ErrorAlert";
import { CheckBadge } from "./CheckBadge";
import { formatOpeningPath } from "./openingPath";
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
            {scenarios.map((one) => (
              <tr key={one.key}>
                <td>
                  <Link to={formatOpeningPath(one)}>{one.scenario_id}</Link>
                </td>
                <td>{one.event_count.toLocaleString("en")}</td>
                <td>{one.app_count}</td>
                <td>
                  <CheckBadge scenarioKey={one.key} name={one.scenario_id} status={one.check_status} />
                </td>
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

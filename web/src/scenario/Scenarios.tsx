import { api } from "../api/client";
import { Link } from "../pages/Link";
import { PageFrame } from "../pages/PageFrame";
import { scenarioPath } from "../state/route";
import { Failure } from "../ui/Failure";
import { useLoaded } from "./useLoaded";
import "./scenario.css";

/** The scenarios that were named when the server was started. */
export default function Scenarios() {
  const { found, trouble } = useLoaded(api.scenarios, "");
  return (
    <PageFrame title="Scenarios">
      {trouble ? <Failure title={trouble} /> : null}
      {found ? (
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
            {found.map((one) => (
              <tr key={one.key}>
                <td>
                  <Link to={scenarioPath(one.key)}>{one.scenario_id}</Link>
                </td>
                <td>{one.events.toLocaleString("en")}</td>
                <td>{one.apps}</td>
                <td className="sc-decision">
                  {one.decision ? `${decided(one.decision)}${one.annotator ? ` by ${one.annotator}` : ""}` : "none yet"}
                </td>
                <td>
                  <code className="quiet">{one.path}</code>
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : trouble ? null : (
        <p className="quiet">Loading…</p>
      )}
    </PageFrame>
  );
}

/** A decision in words. */
export function decided(decision: string): string {
  return decision.replaceAll("_", " ");
}

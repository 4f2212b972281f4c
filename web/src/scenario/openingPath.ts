import type { ScenarioSummary } from "../api/types";
import { formatScenarioPath, formatScenarioTabPath } from "../state/route";

/** Where a scenario's page opens: at its playground if the server was started to play it. */
export function formatOpeningPath(scenario: Pick<ScenarioSummary, "key" | "opens_playground">): string {
  return scenario.opens_playground ? formatScenarioTabPath(scenario.key, "Play") : formatScenarioPath(scenario.key);
}

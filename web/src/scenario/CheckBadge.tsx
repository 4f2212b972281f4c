import { useState } from "react";
import { api } from "../api/client";
import type { ScenarioCheck } from "../api/types";
import { Icon } from "../ui/Icon";
import { useAction } from "../ui/useAction";
import { formatFindings } from "./AboutPane";

/** The result of `adksim scenario check`, and the button that runs it. */
export function CheckBadge({ scenarioKey, name, status }: { scenarioKey: string; name: string; status: string }) {
  const [check, setCheck] = useState<ScenarioCheck | null>(null);
  const { isBusy, error, run } = useAction();
  const currentStatus = check?.status ?? status;
  if (!currentStatus) {
    return (
      <>
        <button
          type="button"
          className="button small"
          aria-label={`Check ${name}`}
          title="Lint it, and run the oracle, a player that does nothing and one that calls at random"
          disabled={isBusy}
          onClick={() => void run(async () => setCheck(await api.checkScenario(scenarioKey)))}
        >
          {isBusy ? "Checking…" : "Check"}
        </button>
        {error ? <span className="sc-error"> {error.message}</span> : null}
      </>
    );
  }
  return (
    <span
      className={`pill sc-check ${currentStatus === "ok" ? "is-ok" : "is-problem"}`}
      title={describeCheck(check, currentStatus)}
    >
      <Icon name={currentStatus === "ok" ? "answer" : "error"} />
      {currentStatus === "ok" ? "sound" : currentStatus}
    </span>
  );
}

/** What a check found, one demand a line. */
export function describeCheck(check: ScenarioCheck | null, status: string): string {
  if (!check)
    return status === "ok" ? "Solvable, not trivially passed, deterministic, and without lint errors" : status;
  const properties = Object.entries({
    solvable: check.solvable,
    "not trivially passed": check.not_trivial,
    deterministic: check.deterministic,
  });
  const lines = properties.map(([name, { holds, reason, next_step }]) => {
    const word = holds === null ? "unknown" : holds ? "yes" : "no";
    return [`${name}: ${word}.`, reason, holds ? "" : next_step].filter(Boolean).join(" ");
  });
  const errors = check.findings.filter(({ severity }) => severity === "error").length;
  const findings = formatFindings({ error_count: errors, warning_count: check.findings.length - errors });
  return [check.problem, ...lines, findings && `lint: ${findings}`, ...check.notes].filter(Boolean).join("\n");
}

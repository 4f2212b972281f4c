import { useMemo, useState } from "react";
import { api } from "../api/client";
import type { ScenarioInfo, WorldInfo } from "../api/types";
import { JsonTree } from "../json/JsonTree";
import { type Json, parse } from "../json/lossless";
import { ErrorAlert } from "../ui/ErrorAlert";
import { formatCount, formatSize } from "../ui/format";
import { Icon } from "../ui/Icon";
import { searchState } from "./stateSearch";
import { useFetch } from "./useFetch";

/** The state of the apps: of the world once it exists, before that of the file. */
export function AppStatePane({ scenario, world }: { scenario: ScenarioInfo; world: WorldInfo | null }) {
  const apps = world?.apps ?? scenario.apps;
  const [chosen, choose] = useState(apps[0] ?? "");
  if (!apps.length) {
    return (
      <section className="sc-main empty" aria-label="State">
        <p>This scenario has no apps.</p>
      </section>
    );
  }
  return (
    <section className="sc-main sc-state" aria-label="State">
      <ul className="sc-apps scroll" aria-label="Apps">
        {apps.map((app) => (
          <li key={app}>
            <button type="button" className="sc-app" aria-pressed={app === chosen} onClick={() => choose(app)}>
              {app}
            </button>
          </li>
        ))}
      </ul>
      <AppStateTree
        key={chosen}
        scenarioKey={scenario.key}
        app={chosen}
        at={`${world?.action_count ?? ""}/${world?.elapsed_seconds ?? ""}`}
      />
    </section>
  );
}

function AppStateTree({ scenarioKey, app, at }: { scenarioKey: string; app: string; at: string }) {
  const { data: state, error } = useFetch(async () => {
    const text = await api.getAppState(scenarioKey, app);
    return { value: parse(text), size: text.length };
  }, `${app}/${at}`);
  const [find, setFind] = useState("");
  return (
    <div className="sc-app-state">
      <div className="sc-bar">
        <label className="find">
          <Icon name="search" />
          <span className="sr-only">Find in the state</span>
          <input
            type="search"
            placeholder={`find in ${app}`}
            value={find}
            data-shortcut="find"
            onChange={(event) => setFind(event.target.value)}
          />
        </label>
        {state ? <span className="quiet">{formatSize(state.size)}</span> : null}
      </div>
      <div className="sc-tree scroll">
        {error ? <ErrorAlert title={error} /> : null}
        {state ? (
          <StateSearchResult value={state.value} find={find} />
        ) : error ? null : (
          <p className="quiet">Loading…</p>
        )}
      </div>
    </div>
  );
}

const ALL_LEVELS = 50;

function StateSearchResult({ value, find }: { value: Json; find: string }) {
  const result = useMemo(() => (find.trim() ? searchState(value, find) : null), [value, find]);
  if (!result) return <JsonTree value={value} />;
  return (
    <>
      <p className="quiet" role="status">
        {result.count === 0
          ? "No matches."
          : `${result.isTruncated ? "The first " : ""}${formatCount(result.count, "match", "matches")}`}
      </p>
      {result.count ? <JsonTree key={find} value={result.value} openLevels={ALL_LEVELS} /> : null}
    </>
  );
}

import { useDeferredValue, useMemo, useState } from "react";
import { api } from "../api/client";
import type { ScenarioInfo } from "../api/types";
import { useFetch } from "../api/useFetch";
import { JsonTree } from "../json/JsonTree";
import type { Json } from "../json/lossless";
import { parseInSlices } from "../json/parseInSlices";
import { Markdown } from "../markdown/Markdown";
import { ErrorAlert } from "../ui/ErrorAlert";
import { formatCount, formatSize } from "../ui/format";
import { Icon } from "../ui/Icon";
import { searchApps } from "./stateSearch";

/** The state of the apps, with one search over all of them, as the file has it. */
export function AppStatePane({ scenario }: { scenario: ScenarioInfo }) {
  const apps = scenario.apps.map(({ name }) => name);
  const [chosen, choose] = useState(apps[0] ?? "");
  const [find, setFind] = useState("");
  if (!apps.length) {
    return (
      <section className="sc-main empty" aria-label="State">
        <p>This scenario has no apps.</p>
      </section>
    );
  }
  const showApp = (app: string) => {
    setFind("");
    choose(app);
  };
  return (
    <section className="sc-main" aria-label="State">
      <div className="sc-bar">
        <label className="find">
          <Icon name="search" />
          <span className="sr-only">Find in the state</span>
          <input
            type="search"
            placeholder="find in all apps"
            value={find}
            data-shortcut="find"
            onChange={(event) => setFind(event.target.value)}
          />
        </label>
      </div>
      <div className="sc-state">
        <ul className="sc-apps scroll" aria-label="Apps">
          {apps.map((app) => (
            <li key={app}>
              <button
                type="button"
                className="sc-app"
                aria-pressed={!find.trim() && app === chosen}
                onClick={() => showApp(app)}
              >
                {app}
              </button>
            </li>
          ))}
        </ul>
        {find.trim() ? (
          <StateSearchResults scenarioKey={scenario.key} apps={apps} find={find} onApp={showApp} />
        ) : (
          <AppStateTree key={chosen} scenarioKey={scenario.key} app={chosen} />
        )}
      </div>
    </section>
  );
}

const renderMarkdown = (text: string) => <Markdown text={text} />;

async function loadState(
  scenarioKey: string,
  app: string,
  signal: AbortSignal,
): Promise<{ value: Json; size: number }> {
  const text = await api.getAppState(scenarioKey, app);
  return { value: await parseInSlices(text, signal), size: text.length };
}

function AppStateTree({ scenarioKey, app }: { scenarioKey: string; app: string }) {
  const { data: state, error } = useFetch((signal) => loadState(scenarioKey, app, signal), app);
  return (
    <div className="sc-tree scroll">
      {error ? <ErrorAlert title={error} /> : null}
      {state ? (
        <>
          <p className="quiet">
            {app}, {formatSize(state.size)}
          </p>
          <JsonTree value={state.value} renderMarkdown={renderMarkdown} />
        </>
      ) : error ? null : (
        <p className="quiet">Loading…</p>
      )}
    </div>
  );
}

const ALL_LEVELS = 50;

function StateSearchResults({
  scenarioKey,
  apps,
  find,
  onApp,
}: {
  scenarioKey: string;
  apps: string[];
  find: string;
  onApp: (app: string) => void;
}) {
  const { data: states, error } = useFetch(async (signal) => {
    const loadedStates: [string, Json][] = [];
    for (const app of apps) loadedStates.push([app, (await loadState(scenarioKey, app, signal)).value]);
    return loadedStates;
  }, scenarioKey);
  const searchText = useDeferredValue(find);
  const matches = useMemo(() => (states ? searchApps(states, searchText) : null), [states, searchText]);
  if (!matches) {
    return (
      <div className="sc-tree scroll">
        {error ? <ErrorAlert title={error} /> : <p className="quiet">Reading {formatCount(apps.length, "app")}…</p>}
      </div>
    );
  }
  const count = matches.reduce((sum, appMatches) => sum + appMatches.count, 0);
  const places = matches.length > 1 ? ` in ${formatCount(matches.length, "app")}` : "";
  return (
    <div className="sc-tree scroll">
      <p className="quiet" role="status">
        {count === 0
          ? "No matches."
          : `${matches.some((appMatches) => appMatches.isTruncated) ? "The first " : ""}${formatCount(count, "match", "matches")}${places}`}
      </p>
      {matches.map((appMatches) => (
        <section key={appMatches.app} className="sc-matches" aria-label={appMatches.app}>
          <h3>
            <button type="button" className="sc-link" onClick={() => onApp(appMatches.app)}>
              {appMatches.app}
            </button>{" "}
            <span className="quiet">{appMatches.count}</span>
          </h3>
          <JsonTree key={searchText} value={appMatches.value} openLevels={ALL_LEVELS} renderMarkdown={renderMarkdown} />
        </section>
      ))}
    </div>
  );
}

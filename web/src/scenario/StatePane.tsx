import { useMemo, useState } from "react";
import { api } from "../api/client";
import type { ScenarioShape, WorldShape } from "../api/types";
import { JsonTree } from "../json/JsonTree";
import { type Json, parse } from "../json/lossless";
import { Failure } from "../ui/Failure";
import { count, size } from "../ui/format";
import { Icon } from "../ui/Icon";
import { foundIn } from "./found";
import { useLoaded } from "./useLoaded";

/** What the apps hold: in the world once it is played, before that in the file. */
export function StatePane({ scenario, world }: { scenario: ScenarioShape; world: WorldShape | null }) {
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
      <AppState
        key={chosen}
        scenarioKey={scenario.key}
        app={chosen}
        at={`${world?.deeds ?? ""}/${world?.seconds ?? ""}`}
      />
    </section>
  );
}

function AppState({ scenarioKey, app, at }: { scenarioKey: string; app: string; at: string }) {
  const { found, trouble } = useLoaded(async () => {
    const text = await api.appState(scenarioKey, app);
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
        {found ? <span className="quiet">{size(found.size)}</span> : null}
      </div>
      <div className="sc-tree scroll">
        {trouble ? <Failure title={trouble} /> : null}
        {found ? <Searched value={found.value} find={find} /> : trouble ? null : <p className="quiet">Loading…</p>}
      </div>
    </div>
  );
}

const ALL_LEVELS = 50;

function Searched({ value, find }: { value: Json; find: string }) {
  const found = useMemo(() => (find.trim() ? foundIn(value, find) : null), [value, find]);
  if (!found) return <JsonTree value={value} />;
  return (
    <>
      <p className="quiet" role="status">
        {found.count === 0
          ? "No key and no value matches."
          : `${found.cut ? "The first " : ""}${count(found.count, "place")}`}
      </p>
      {found.count ? <JsonTree key={find} value={found.value} openLevels={ALL_LEVELS} /> : null}
    </>
  );
}

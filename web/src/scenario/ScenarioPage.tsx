import { type CSSProperties, useState } from "react";
import { api } from "../api/client";
import type { AnnotationInfo, ScenarioInfo } from "../api/types";
import { Link } from "../pages/Link";
import { PageFrame } from "../pages/PageFrame";
import { useStoredState } from "../state/storedState";
import { ErrorAlert } from "../ui/ErrorAlert";
import { formatCount, formatDateTime } from "../ui/format";
import { Icon } from "../ui/Icon";
import { Splitter } from "../ui/Splitter";
import { AnnotationDialog } from "./AnnotationDialog";
import { AppStatePane } from "./AppStatePane";
import { EventPane } from "./EventPane";
import { EventTimeline } from "./EventTimeline";
import { GraphPane } from "./GraphPane";
import { formatDecision } from "./ScenariosPage";
import { useFetch } from "./useFetch";
import { useWorldSession } from "./useWorldSession";
import { WorldPlaygroundPane } from "./WorldPlaygroundPane";
import "./scenario.css";

const TABS = ["Graph", "Time line", "State", "Play"] as const;
type Tab = (typeof TABS)[number];

/** One scenario: its events, its app state, its annotation, and its world to play in. */
export default function ScenarioPage({ scenarioKey }: { scenarioKey: string }) {
  const { data: scenario, error } = useFetch(() => api.getScenario(scenarioKey), scenarioKey);
  return (
    <PageFrame title="Scenarios" fillsWindow hasOwnHeading>
      {error ? <ErrorAlert title={error} /> : null}
      {scenario ? <ScenarioView scenario={scenario} /> : error ? null : <p className="quiet sc-loading">Loading…</p>}
    </PageFrame>
  );
}

function ScenarioView({ scenario }: { scenario: ScenarioInfo }) {
  const [tab, setTab] = useStoredState<Tab>(`scenario-tab:${scenario.key}`, "Graph");
  const [width, setWidth] = useStoredState("scenario-right", 360);
  const [annotation, setAnnotation] = useState(scenario.annotation);
  const [selected, select] = useState<number | null>(null);
  const worldSession = useWorldSession(scenario.key, tab === "Play");
  const event = scenario.events.find((one) => one.index === selected) ?? null;
  const showsEvent = tab === "Graph" || tab === "Time line";
  return (
    <>
      <ScenarioHeader scenario={scenario} annotation={annotation} onAnnotation={setAnnotation} />
      <div className="tabs sc-tabs" role="tablist" aria-label="Parts of the scenario">
        {TABS.map((one) => (
          <button
            key={one}
            type="button"
            role="tab"
            aria-selected={tab === one}
            className="tab"
            onClick={() => setTab(one)}
          >
            {one}
          </button>
        ))}
      </div>
      <div className="sc-panes" style={{ "--right": `${width}px` } as CSSProperties} role="tabpanel" aria-label={tab}>
        {tab === "Graph" ? (
          <GraphPane
            events={scenario.events}
            selected={selected}
            onSelect={select}
            onList={() => setTab("Time line")}
          />
        ) : null}
        {tab === "Time line" ? <EventTimeline events={scenario.events} selected={selected} onSelect={select} /> : null}
        {tab === "State" ? <AppStatePane scenario={scenario} world={worldSession.world} /> : null}
        {tab === "Play" ? (
          <WorldPlaygroundPane
            scenarioKey={scenario.key}
            worldSession={worldSession}
            width={width}
            onWidth={setWidth}
          />
        ) : null}
        {showsEvent ? (
          <>
            <Splitter label="Width of the event" side="right" min={240} max={720} width={width} onWidth={setWidth} />
            <EventPane scenario={scenario} event={event} onSelect={select} />
          </>
        ) : null}
      </div>
    </>
  );
}

function ScenarioHeader({
  scenario,
  annotation,
  onAnnotation,
}: {
  scenario: ScenarioInfo;
  annotation: AnnotationInfo;
  onAnnotation: (annotation: AnnotationInfo) => void;
}) {
  const [editing, edit] = useState(false);
  const facts = [
    formatCount(scenario.events.length, "event"),
    formatCount(scenario.apps.length, "app"),
    scenario.start_time === null ? "" : `from ${formatDateTime(scenario.start_time)}`,
    scenario.duration === null ? "without end" : `${scenario.duration.toLocaleString("en")} s`,
    ...scenario.tags,
  ].filter(Boolean);
  return (
    <div className="sc-head">
      <div className="grow">
        <h1>
          <Link to="/scenarios">Scenarios</Link> / <span title={scenario.path}>{scenario.scenario_id}</span>
        </h1>
        <p className="quiet">{facts.join(" · ")}</p>
        {scenario.adaptations.length ? <p className="quiet">Adapted: {scenario.adaptations.join("; ")}</p> : null}
      </div>
      <div className="sc-annotation">
        <span className={annotation.validation_decision ? "pill" : "quiet"}>
          {annotation.validation_decision ? formatDecision(annotation.validation_decision) : "not reviewed"}
        </span>
        {annotation.annotator ? <span className="quiet">by {annotation.annotator}</span> : null}
        <button type="button" className="button small" onClick={() => edit(true)}>
          <Icon name="edit" />
          Annotation
        </button>
      </div>
      {editing ? (
        <AnnotationDialog
          scenarioKey={scenario.key}
          path={scenario.path}
          annotation={annotation}
          onSaved={onAnnotation}
          onClose={() => edit(false)}
        />
      ) : null}
    </div>
  );
}

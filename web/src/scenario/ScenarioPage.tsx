import { type CSSProperties, useState } from "react";
import { api } from "../api/client";
import type { AnnotationShape, ScenarioShape } from "../api/types";
import { Link } from "../pages/Link";
import { PageFrame } from "../pages/PageFrame";
import { useKept } from "../state/kept";
import { Failure } from "../ui/Failure";
import { count, full } from "../ui/format";
import { Icon } from "../ui/Icon";
import { Splitter } from "../ui/Splitter";
import { AnnotationDialog } from "./AnnotationDialog";
import { EventPane } from "./EventPane";
import { Graph } from "./Graph";
import { Play } from "./Play";
import { decided } from "./Scenarios";
import { StatePane } from "./StatePane";
import { TimeLine } from "./TimeLine";
import { useLoaded } from "./useLoaded";
import { usePlayed } from "./usePlayed";
import "./scenario.css";

const TABS = ["Graph", "Time line", "State", "Play"] as const;
type Tab = (typeof TABS)[number];

/** One scenario: what is to happen in it, what is in it, what reviewers say, and its world to play in. */
export default function ScenarioPage({ scenarioKey }: { scenarioKey: string }) {
  const { found, trouble } = useLoaded(() => api.scenario(scenarioKey), scenarioKey);
  return (
    <PageFrame title="Scenarios" whole>
      {trouble ? <Failure title={trouble} /> : null}
      {found ? <Opened scenario={found} /> : trouble ? null : <p className="quiet sc-loading">Loading…</p>}
    </PageFrame>
  );
}

function Opened({ scenario }: { scenario: ScenarioShape }) {
  const [tab, setTab] = useKept<Tab>(`scenario-tab:${scenario.key}`, "Graph");
  const [width, setWidth] = useKept("scenario-right", 360);
  const [annotation, setAnnotation] = useState(scenario.annotation);
  const [selected, select] = useState<number | null>(null);
  const played = usePlayed(scenario.key, tab === "Play");
  const event = scenario.events.find((one) => one.place === selected) ?? null;
  const beside = tab === "Graph" || tab === "Time line";
  return (
    <>
      <Head scenario={scenario} annotation={annotation} onAnnotation={setAnnotation} />
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
          <Graph events={scenario.events} selected={selected} onSelect={select} onList={() => setTab("Time line")} />
        ) : null}
        {tab === "Time line" ? <TimeLine events={scenario.events} selected={selected} onSelect={select} /> : null}
        {tab === "State" ? <StatePane scenario={scenario} world={played.world} /> : null}
        {tab === "Play" ? <Play scenarioKey={scenario.key} played={played} width={width} onWidth={setWidth} /> : null}
        {beside ? (
          <>
            <Splitter label="Width of the event" side="right" min={240} max={720} width={width} onWidth={setWidth} />
            <EventPane scenario={scenario} event={event} onSelect={select} />
          </>
        ) : null}
      </div>
    </>
  );
}

function Head({
  scenario,
  annotation,
  onAnnotation,
}: {
  scenario: ScenarioShape;
  annotation: AnnotationShape;
  onAnnotation: (annotation: AnnotationShape) => void;
}) {
  const [editing, edit] = useState(false);
  const facts = [
    count(scenario.events.length, "event"),
    count(scenario.apps.length, "app"),
    scenario.start_time === null ? "" : `from ${full(scenario.start_time)}`,
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
        {scenario.adapted.length ? <p className="quiet">Adapted: {scenario.adapted.join("; ")}</p> : null}
      </div>
      <div className="sc-annotation">
        <span className={annotation.validation_decision ? "pill" : "quiet"}>
          {annotation.validation_decision ? decided(annotation.validation_decision) : "not reviewed"}
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

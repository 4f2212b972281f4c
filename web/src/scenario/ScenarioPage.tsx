import { type CSSProperties, useState } from "react";
import { api } from "../api/client";
import type { AnnotationInfo, ScenarioFindings, ScenarioInfo } from "../api/types";
import { useFetch } from "../api/useFetch";
import { Link } from "../pages/Link";
import { PageFrame } from "../pages/PageFrame";
import { formatSessionPath, route } from "../state/route";
import { useStoredState } from "../state/storedState";
import { ErrorAlert } from "../ui/ErrorAlert";
import { formatCount, formatUtcTime } from "../ui/format";
import { Icon } from "../ui/Icon";
import { Splitter } from "../ui/Splitter";
import { useAction } from "../ui/useAction";
import { AboutPane, formatFindings } from "./AboutPane";
import { AnnotationDialog } from "./AnnotationDialog";
import { AppStatePane } from "./AppStatePane";
import { CheckBadge } from "./CheckBadge";
import { EventList } from "./EventList";
import { EventPane } from "./EventPane";
import { GraphPane } from "./GraphPane";
import { formatDecision } from "./ScenariosPage";
import "./scenario.css";

const TABS = ["Graph", "Events", "State", "About"] as const;
type Tab = (typeof TABS)[number];

/** One scenario: its events, its app state, and its annotation; a button lets a person play it. */
export default function ScenarioPage({ scenarioKey }: { scenarioKey: string }) {
  const [showsAnswer, setShowsAnswer] = useState(false);
  const { data: scenario, error } = useFetch(
    () => api.getScenario(scenarioKey, showsAnswer),
    `${scenarioKey} ${showsAnswer}`,
  );
  return (
    <PageFrame title="Scenarios" fillsWindow hasOwnHeading>
      {error ? <ErrorAlert title={error} /> : null}
      {scenario?.hides_answer ? <HiddenAnswerNotice onShow={() => setShowsAnswer(true)} /> : null}
      {scenario ? (
        <ScenarioView scenario={scenario} showsAnswer={showsAnswer} />
      ) : error ? null : (
        <p className="quiet sc-loading">Loading…</p>
      )}
    </PageFrame>
  );
}

/** Says why the events that are expected of the agent are not there, and asks before it shows them. */
function HiddenAnswerNotice({ onShow }: { onShow: () => void }) {
  return (
    <div className="banner sc-hidden-answer" role="status">
      <Icon name="consent" />
      <span>A person is playing this scenario: what is expected of the agent is hidden until their run is over.</span>
      <button type="button" className="button small" onClick={onShow}>
        Show the answer
      </button>
    </div>
  );
}

function ScenarioView({ scenario, showsAnswer }: { scenario: ScenarioInfo; showsAnswer: boolean }) {
  const [tab, setTab] = useStoredState<Tab>(`scenario-tab:${scenario.key}`, "Graph");
  const [width, setWidth] = useStoredState("scenario-right", 360);
  const [annotation, setAnnotation] = useState(scenario.annotation);
  const [selected, select] = useState<number | null>(null);
  const { data: findings, error: findingsError } = useFetch(
    () => api.getFindings(scenario.key, showsAnswer),
    `${scenario.key} ${showsAnswer}`,
  );
  const event = scenario.events.find((event) => event.index === selected) ?? null;
  const showsEvent = tab === "Graph" || tab === "Events";
  return (
    <>
      <ScenarioHeader
        scenario={scenario}
        annotation={annotation}
        findings={findings}
        onAnnotation={setAnnotation}
        onFindings={() => setTab("About")}
      />
      <div className="tabs sc-tabs" role="tablist" aria-label="Parts of the scenario">
        {TABS.map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            aria-selected={tab === name}
            className="tab"
            onClick={() => setTab(name)}
          >
            {name}
          </button>
        ))}
      </div>
      <div className="sc-panes" style={{ "--right": `${width}px` } as CSSProperties} role="tabpanel" aria-label={tab}>
        {tab === "Graph" ? (
          <GraphPane events={scenario.events} selected={selected} onSelect={select} onList={() => setTab("Events")} />
        ) : null}
        {tab === "Events" ? <EventList events={scenario.events} selected={selected} onSelect={select} /> : null}
        {tab === "State" ? <AppStatePane scenario={scenario} /> : null}
        {tab === "About" ? (
          <AboutPane
            scenario={scenario}
            findings={findings}
            findingsError={findingsError}
            onEvent={(index) => {
              select(index);
              setTab("Events");
            }}
          />
        ) : null}
        {showsEvent ? (
          <>
            <Splitter label="Width of the event" side="right" min={240} max={720} width={width} onWidth={setWidth} />
            <EventPane scenario={scenario} event={event} showsAnswer={showsAnswer} onSelect={select} />
          </>
        ) : null}
      </div>
    </>
  );
}

/** Starts a run in which a person plays the agent, and opens it in the workbench, where nothing of the oracle is seen. */
function PlayAgentButton({ scenario }: { scenario: ScenarioInfo }) {
  const { isBusy, error, run } = useAction();
  const start = () =>
    void run(async () => route.navigate(formatSessionPath((await api.startWorldRun(scenario.key)).session_id)));
  return (
    <>
      {error ? <span className="sc-error">{error.message}</span> : null}
      <button
        type="button"
        className="button small"
        title="Decide as the agent's model in the scenario's world; the run is judged at its end"
        disabled={isBusy}
        onClick={start}
      >
        <Icon name="user" />
        Play the agent
      </button>
    </>
  );
}

function ScenarioHeader({
  scenario,
  annotation,
  findings,
  onAnnotation,
  onFindings,
}: {
  scenario: ScenarioInfo;
  annotation: AnnotationInfo;
  findings: ScenarioFindings | null;
  onFindings: () => void;
  onAnnotation: (annotation: AnnotationInfo) => void;
}) {
  const [editing, edit] = useState(false);
  const facts = [
    formatCount(scenario.events.length, "event"),
    formatCount(scenario.apps.length, "app"),
    scenario.start_time === null ? "" : `from ${formatUtcTime(scenario.start_time)}`,
    scenario.duration === null ? "without end" : `${scenario.duration.toLocaleString("en")} s`,
    scenario.seed === null ? "" : `seed ${scenario.seed}`,
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
        {findings && formatFindings(findings) ? (
          <button
            type="button"
            className={`button small${findings.error_count ? " sc-has-errors" : ""}`}
            title="What the linter finds in the file"
            onClick={onFindings}
          >
            {formatFindings(findings)}
          </button>
        ) : null}
        <PlayAgentButton scenario={scenario} />
        <CheckBadge scenarioKey={scenario.key} name={scenario.scenario_id} status={scenario.check_status} />
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

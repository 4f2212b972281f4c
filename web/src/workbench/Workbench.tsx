import { type CSSProperties, useEffect, useRef, useState } from "react";
import type { SessionDetail } from "../api/types";
import { BriefingPane } from "../briefing/BriefingPane";
import { Composer } from "../composer/Composer";
import { ExportDialog } from "../export/ExportDialog";
import { app } from "../state/app";
import { useObservable } from "../state/observable";
import { route } from "../state/route";
import type { SessionStore } from "../state/sessionStore";
import { useStoredState } from "../state/storedState";
import { Timeline } from "../timeline/Timeline";
import { TimeTravelProvider } from "../timetravel/TimeTravelProvider";
import { ErrorAlert } from "../ui/ErrorAlert";
import { focusComposer, focusShortcut, isTextField } from "../ui/focus";
import { Icon } from "../ui/Icon";
import { COMMANDS, useCommand, useEscapeKey, useTypingInComposer } from "../ui/keyboard";
import { Splitter } from "../ui/Splitter";
import { AgentChangeNotice } from "./AgentChangeNotice";
import { RulesPanel } from "./RulesPanel";
import { SessionGone } from "./SessionGone";
import { SessionHeader } from "./SessionHeader";
import { useBriefing } from "./useBriefing";
import { useNewSession } from "./useNewSession";
import { canHaveRules, usePendingFaults } from "./usePendingFaults";
import "./workbench.css";

/** The same as in workbench.css, where a form makes it wider. */
const COMPOSER_WIDTH = 360;

/** One session: what the model reads, what has happened, and what to do next. */
export function Workbench({ sessionId }: { sessionId: string }) {
  const store = useObservable(app.openSession(sessionId));
  useEffect(() => app.followSession(store), [store]);
  const { session } = store;
  if (store.goneMessage) return <SessionGone sessionId={sessionId} message={store.goneMessage} />;
  if (!session) {
    return (
      <div className="empty">
        <span className="spinner" />
        <p>Opening the session…</p>
      </div>
    );
  }
  return <OpenSession key={sessionId} store={store} session={session} />;
}

function OpenSession({ store, session }: { store: SessionStore; session: SessionDetail }) {
  const [error, setError] = useState("");
  return (
    <TimeTravelProvider store={store} session={session} onError={setError}>
      <Panes store={store} session={session} error={error} setError={setError} />
    </TimeTravelProvider>
  );
}

function Panes({
  store,
  session,
  error,
  setError,
}: {
  store: SessionStore;
  session: SessionDetail;
  /** What went wrong, outside of the composer. */
  error: string;
  setError: (error: string) => void;
}) {
  const [leftWidth, setLeftWidth] = useStoredState("left-width", 280);
  /** Null until the user sets it: then it does not depend on what the composer shows. */
  const [rightWidth, setRightWidth] = useStoredState<number | null>("right-width", null);
  const composer = useRef<HTMLDivElement>(null);
  const [belowHeight, setBelowHeight] = useStoredState("below-height", 400);
  const [isFolded, setFolded] = useStoredState("left-folded", false);
  const [isDrawerOpen, setDrawerOpen] = useState(false);
  const [isExportOpen, setExportOpen] = useState(false);
  const [wantsRules, setWantsRules] = useState(false);
  const isRulesOpen = wantsRules && canHaveRules(session);
  const briefing = useBriefing(session);
  const [faultVersion, setFaultVersion] = useState(0);
  const faultCount = usePendingFaults(session, faultVersion);
  useSessionTitle(session);
  const startSession = useNewSession(setError);
  const onNew = () => {
    if (session.agent_key) void startSession(session.agent_key);
    else route.navigate("/agents");
  };
  const togglePanel = () => (isNarrow() ? setDrawerOpen(!isDrawerOpen) : setFolded(!isFolded));
  useCommand(COMMANDS.find, () => focusShortcut("find"));
  useCommand(COMMANDS.panel, togglePanel);
  useEscapeKey(() => {
    setDrawerOpen(false);
    return isDrawerOpen;
  }, true);
  useEscapeKey(returnToComposer);
  useTypingInComposer();
  return (
    <div className="workbench">
      <SessionHeader
        store={store}
        session={session}
        faultCount={faultCount}
        onNew={onNew}
        onExport={() => setExportOpen(true)}
        isRulesOpen={isRulesOpen}
        onRules={() => setWantsRules(!isRulesOpen)}
        onError={setError}
        onPanel={togglePanel}
      />
      <AgentChangeNotice session={session} onNew={onNew} />
      {error ? (
        <ErrorAlert title={error}>
          <button type="button" className="button small" onClick={() => setError("")}>
            Dismiss
          </button>
        </ErrorAlert>
      ) : null}
      <main
        className={`panes ${isFolded ? "folded" : ""} ${isDrawerOpen ? "drawn" : ""} ${isRulesOpen ? "with-rules" : ""}`}
        style={
          {
            "--left": `${leftWidth}px`,
            ...(rightWidth === null ? {} : { "--right": `${rightWidth}px` }),
            "--below": `${belowHeight}px`,
          } as CSSProperties
        }
      >
        <div className="pane pane-left">
          <button
            type="button"
            className="button plain icon-only drawer-close"
            title="Close"
            aria-label="Close the panel"
            onClick={() => setDrawerOpen(false)}
          >
            <Icon name="close" />
          </button>
          <BriefingPane session={session} briefing={briefing} />
        </div>
        <Splitter
          label="Width of what the model reads"
          width={leftWidth}
          min={200}
          max={560}
          side="left"
          onWidth={setLeftWidth}
        />
        <div className="pane pane-middle">
          {isRulesOpen ? (
            <RulesPanel
              session={session}
              tools={briefing?.tools ?? null}
              onChange={() => setFaultVersion((version) => version + 1)}
              onClose={() => setWantsRules(false)}
            />
          ) : null}
          <div className="timeline-frame">
            <Timeline store={store} session={session} />
          </div>
        </div>
        <Splitter
          label="Width of the composer"
          width={rightWidth ?? COMPOSER_WIDTH}
          measure={() => composer.current?.offsetWidth ?? COMPOSER_WIDTH}
          min={300}
          max={640}
          side="right"
          onWidth={setRightWidth}
        />
        <Splitter
          label="Height of the composer"
          width={belowHeight}
          min={200}
          max={900}
          side="below"
          onWidth={setBelowHeight}
        />
        <div className="pane pane-right" ref={composer}>
          <Composer
            store={store}
            session={session}
            briefing={briefing}
            onExport={() => setExportOpen(true)}
            onNew={onNew}
          />
        </div>
      </main>
      {isExportOpen ? <ExportDialog session={session} onClose={() => setExportOpen(false)} /> : null}
    </div>
  );
}

/** Escape outside the composer goes back to it; a search is cleared first, as browsers do. */
function returnToComposer(target: EventTarget | null): boolean {
  const isInComposer = target instanceof HTMLElement && target.closest(".composer") !== null;
  if (isInComposer || (isTextField(target) && target.value !== "")) return false;
  focusComposer();
  return true;
}

/** Whether the briefing is a drawer; the same width as in workbench.css. */
function isNarrow(): boolean {
  return window.matchMedia("(max-width: 1000px)").matches;
}

/** The tab's title says which session it is, and whether it waits for the user. */
function useSessionTitle(session: SessionDetail): void {
  useEffect(() => {
    const isWaiting = session.status === "waiting";
    document.title = `${isWaiting ? "● " : ""}${session.name} · ${session.agent_label}`;
    return () => {
      document.title = "adksim";
    };
  }, [session.name, session.agent_label, session.status]);
}

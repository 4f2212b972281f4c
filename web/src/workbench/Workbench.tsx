import { type CSSProperties, useEffect, useRef, useState } from "react";
import { ApiError, api, getErrorMessage } from "../api/client";
import type { Briefing, SessionDetail } from "../api/types";
import { BriefingPane } from "../briefing/BriefingPane";
import { Composer } from "../composer/Composer";
import { useDrafts } from "../composer/drafts";
import { PageFrame } from "../pages/PageFrame";
import { app } from "../state/app";
import { useObservable } from "../state/observable";
import { formatSessionPath, route } from "../state/route";
import { findModelTurn } from "../state/sessionStatus";
import { useStoredState } from "../state/storedState";
import { Timeline } from "../timeline/Timeline";
import { CopyButton } from "../ui/CopyButton";
import { ErrorAlert } from "../ui/ErrorAlert";
import { focusComposer, focusShortcut, isTextField } from "../ui/focus";
import { Icon } from "../ui/Icon";
import { COMMANDS, useCommand, useEscapeKey, useTypingInComposer } from "../ui/keyboard";
import { Splitter } from "../ui/Splitter";
import { ExportDialog } from "./ExportDialog";
import { RulesPanel } from "./RulesPanel";
import { SessionHeader } from "./SessionHeader";
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
  return <Panes key={sessionId} store={store} session={session} />;
}

function Panes({ store, session }: { store: ReturnType<typeof app.openSession>; session: SessionDetail }) {
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
  const [error, setError] = useState("");
  const briefing = useBriefing(session);
  const [faultVersion, setFaultVersion] = useState(0);
  const faultCount = usePendingFaults(session, faultVersion);
  useEffect(() => {
    const isWaiting = session.status === "waiting";
    document.title = `${isWaiting ? "● " : ""}${session.name} · ${session.agent_label}`;
    return () => {
      document.title = "adk-agent-sim";
    };
  }, [session.name, session.agent_label, session.status]);
  const isStarting = useRef(false);
  const startSession = async () => {
    if (isStarting.current) return;
    isStarting.current = true;
    try {
      route.navigate(formatSessionPath((await api.createSession(session.agent_key)).session_id));
    } catch (error) {
      setError(getErrorMessage(error));
    } finally {
      isStarting.current = false;
    }
  };
  const onNew = () => {
    if (session.agent_key) void startSession();
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
            aria-label="Close the panel"
            onClick={() => setDrawerOpen(false)}
          >
            <Icon name="close" />
          </button>
          <BriefingPane session={session} briefing={briefing} />
        </div>
        <Splitter
          label="Width of the briefing"
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
              tools={briefing?.tools ?? []}
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

/** The briefing of the waiting turn's agent; the last one stays until the next is loaded. */
function useBriefing(session: SessionDetail): Briefing | null {
  const [briefing, setBriefing] = useState<Briefing | null>(null);
  const turn = findModelTurn(session);
  const turnId = turn?.request_id ?? null;
  const { session_id: sessionId } = session;
  const agentName = turn?.agent_name ?? session.agent_name;
  const isFirstMessage = session.status === "new";
  const isLoaded = briefing !== null;
  const isConnected = app.connection === "open";
  // biome-ignore lint/correctness/useExhaustiveDependencies: load again after a reconnect
  useEffect(() => {
    if (!turnId && !isFirstMessage && isLoaded) return;
    let isCancelled = false;
    api.getBriefing(sessionId, turnId).then(
      (loaded) => {
        if (!isCancelled) setBriefing(loaded);
      },
      (error: unknown) => {
        if (!isCancelled && error instanceof ApiError) setBriefing(buildFailedBriefing(agentName, error.message));
      },
    );
    return () => {
      isCancelled = true;
    };
  }, [sessionId, agentName, turnId, isFirstMessage, isLoaded, isConnected]);
  return briefing;
}

/** A briefing that could not be loaded, with the reason. */
function buildFailedBriefing(agentName: string, problem: string): Briefing {
  return {
    agent_name: agentName,
    instruction: "",
    instruction_parts: [],
    is_template: false,
    tools: [],
    input_schema: null,
    output_schema: null,
    model: "",
    problem,
  };
}

/** The server has no such session; unsent input is still in this browser. */
function SessionGone({ sessionId, message }: { sessionId: string; message: string }) {
  const [drafts] = useDrafts(sessionId);
  const typed = [drafts.message, drafts.answer].filter((text) => text.trim()).join("\n\n");
  return (
    <PageFrame title="Session not found">
      <div className="empty">
        <p>{message}</p>
        {app.server?.is_persistent ? null : (
          <p>This server keeps sessions only while it runs. A restart deletes them.</p>
        )}
        {typed ? (
          <div className="notice">
            Your unsent input:
            <pre>{typed}</pre>
            <CopyButton text={typed} />
          </div>
        ) : null}
        <button type="button" className="button primary" onClick={() => route.navigate("/agents")}>
          Choose an agent
        </button>
      </div>
    </PageFrame>
  );
}

import { type CSSProperties, useEffect, useRef, useState } from "react";
import { api, Refused, words } from "../api/client";
import type { Briefing, SessionShape } from "../api/types";
import { BriefingPane } from "../briefing/BriefingPane";
import { Composer } from "../composer/Composer";
import { useDrafts } from "../composer/drafts";
import { PageFrame } from "../pages/PageFrame";
import { app } from "../state/app";
import { useKept } from "../state/kept";
import { route, sessionPath } from "../state/route";
import { useWatched } from "../state/store";
import { Timeline } from "../timeline/Timeline";
import { CopyButton } from "../ui/CopyButton";
import { Failure } from "../ui/Failure";
import { Icon } from "../ui/Icon";
import { focusOn, useShortcuts } from "../ui/keys";
import { Splitter } from "../ui/Splitter";
import { ExportDialog } from "./ExportDialog";
import { Header } from "./Header";
import { RulesDialog } from "./RulesDialog";
import "./workbench.css";

/** One session: what the model reads, what has happened, and what to do next. */
export function Workbench({ sessionId }: { sessionId: string }) {
  const store = useWatched(app.session(sessionId));
  useEffect(() => app.follow(store), [store]);
  const { session } = store;
  if (store.gone) return <Gone sessionId={sessionId} message={store.gone} />;
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

function Panes({ store, session }: { store: ReturnType<typeof app.session>; session: SessionShape }) {
  const [left, setLeft] = useKept("left-width", 280);
  const [right, setRight] = useKept("right-width", 360);
  const [below, setBelow] = useKept("below-height", 400);
  const [folded, fold] = useKept("left-folded", false);
  const [drawer, setDrawer] = useState(false);
  const [exporting, setExporting] = useState(false);
  const [rules, setRules] = useState(false);
  const [trouble, setTrouble] = useState("");
  const briefing = useBriefing(session);
  useEffect(() => {
    const waits = session.status === "your_turn" || session.status === "confirm";
    document.title = `${waits ? "● " : ""}${session.name} · ${session.agent_name}`;
    return () => {
      document.title = "adk-agent-sim";
    };
  }, [session.name, session.agent_name, session.status]);
  const starting = useRef(false);
  const startNew = async () => {
    if (starting.current) return;
    starting.current = true;
    try {
      route.go(sessionPath((await api.newSession(session.agent)).session_id));
    } catch (error) {
      setTrouble(words(error));
    } finally {
      starting.current = false;
    }
  };
  const onNew = () => {
    if (session.agent) void startNew();
    else route.go("/agents");
  };
  const panel = () => (narrow() ? setDrawer(!drawer) : fold(!folded));
  useShortcuts({ f: () => focusOn("find"), b: panel, N: onNew, Escape: () => setDrawer(false) });
  return (
    <div className="workbench">
      <Header
        session={session}
        onNew={onNew}
        onExport={() => setExporting(true)}
        onRules={() => setRules(true)}
        onTrouble={setTrouble}
        onPanel={panel}
      />
      {trouble ? (
        <Failure title={trouble}>
          <button type="button" className="button small" onClick={() => setTrouble("")}>
            Understood
          </button>
        </Failure>
      ) : null}
      <div
        className={`panes ${folded ? "folded" : ""} ${drawer ? "drawn" : ""}`}
        style={{ "--left": `${left}px`, "--right": `${right}px`, "--below": `${below}px` } as CSSProperties}
      >
        <aside className="pane pane-left">
          <button
            type="button"
            className="button plain icon-only drawer-close"
            aria-label="Close the panel"
            onClick={() => setDrawer(false)}
          >
            <Icon name="close" />
          </button>
          <BriefingPane session={session} briefing={briefing} />
        </aside>
        <Splitter label="Width of the briefing" width={left} min={200} max={560} side="left" onWidth={setLeft} />
        <main className="pane pane-middle">
          <Timeline store={store} session={session} />
        </main>
        <Splitter label="Width of the composer" width={right} min={300} max={640} side="right" onWidth={setRight} />
        <Splitter label="Height of the composer" width={below} min={200} max={900} side="below" onWidth={setBelow} />
        <div className="pane pane-right">
          <Composer
            store={store}
            session={session}
            briefing={briefing}
            onExport={() => setExporting(true)}
            onNew={onNew}
          />
        </div>
      </div>
      {rules ? <RulesDialog session={session} tools={briefing?.tools ?? []} onClose={() => setRules(false)} /> : null}
      {exporting ? <ExportDialog session={session} onClose={() => setExporting(false)} /> : null}
    </div>
  );
}

/** Whether the briefing is a drawer; as in workbench.css. */
function narrow(): boolean {
  return window.matchMedia("(max-width: 1000px)").matches;
}

/** What the agent of the waiting turn is told; the last one stays until there is another. */
function useBriefing(session: SessionShape): Briefing | null {
  const [briefing, setBriefing] = useState<Briefing | null>(null);
  const turnId = session.waiting[0]?.turn_id ?? null;
  const { session_id: sessionId, agent_name: agentName } = session;
  const fresh = session.status === "query";
  const known = briefing !== null;
  const connected = app.connection === "open";
  // biome-ignore lint/correctness/useExhaustiveDependencies: a server that is back is asked again
  useEffect(() => {
    if (!turnId && !fresh && known) return;
    let gone = false;
    api.briefing(sessionId, turnId).then(
      (found) => {
        if (!gone) setBriefing(found);
      },
      (error: unknown) => {
        if (!gone && error instanceof Refused) setBriefing(unknown(agentName, error.message));
      },
    );
    return () => {
      gone = true;
    };
  }, [sessionId, agentName, turnId, fresh, known, connected]);
  return briefing;
}

/** A briefing that could not be had, and why. */
function unknown(agentName: string, problem: string): Briefing {
  return {
    agent_name: agentName,
    instruction: "",
    tools: [],
    input_schema: null,
    output_schema: null,
    model: "",
    problem,
  };
}

/** The server has no such session; what was typed into it here is still here. */
function Gone({ sessionId, message }: { sessionId: string; message: string }) {
  const [drafts] = useDrafts(sessionId);
  const typed = [drafts.message, drafts.answer].filter((text) => text.trim()).join("\n\n");
  return (
    <PageFrame title="">
      <div className="empty">
        <p>{message}</p>
        {app.server?.keeps ? null : (
          <p>This server keeps sessions only while it runs. If it was started again, its sessions are new.</p>
        )}
        {typed ? (
          <div className="notice">
            What you had typed:
            <pre>{typed}</pre>
            <CopyButton text={typed} />
          </div>
        ) : null}
        <button type="button" className="button primary" onClick={() => route.go("/agents")}>
          Choose an agent
        </button>
      </div>
    </PageFrame>
  );
}

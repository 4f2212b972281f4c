import { type CSSProperties, useEffect, useState } from "react";
import { api, Refused, words } from "../api/client";
import type { Briefing, SessionShape } from "../api/types";
import { BriefingPane } from "../briefing/BriefingPane";
import { Composer } from "../composer/Composer";
import { app } from "../state/app";
import { useKept } from "../state/kept";
import { route, sessionPath } from "../state/route";
import { useWatched } from "../state/store";
import { Timeline } from "../timeline/Timeline";
import { Failure } from "../ui/Failure";
import { Icon } from "../ui/Icon";
import { focusOn, useShortcuts } from "../ui/keys";
import { Splitter } from "../ui/Splitter";
import { ExportDialog } from "./ExportDialog";
import { Header } from "./Header";
import "./workbench.css";

/** One session: what the model reads, what has happened, and what to do next. */
export function Workbench({ sessionId }: { sessionId: string }) {
  const store = useWatched(app.session(sessionId));
  useEffect(() => () => app.leave(), []);
  const { session } = store;
  if (store.gone) return <Gone message={store.gone} />;
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
  const [folded, fold] = useKept("left-folded", false);
  const [drawer, setDrawer] = useState(false);
  const [exporting, setExporting] = useState(false);
  const [trouble, setTrouble] = useState("");
  const briefing = useBriefing(session);
  const startNew = async () => {
    try {
      route.go(sessionPath((await api.newSession(session.agent)).session_id));
    } catch (error) {
      setTrouble(words(error));
    }
  };
  const onNew = () => {
    if (session.agent) void startNew();
    else route.go("/agents");
  };
  useShortcuts({ f: () => focusOn("find"), b: () => fold(!folded), n: onNew });
  return (
    <div className="workbench">
      <Header
        session={session}
        onNew={onNew}
        onExport={() => setExporting(true)}
        onPanel={() => {
          fold(!folded);
          setDrawer(!drawer);
        }}
      />
      {trouble ? <Failure title={trouble} /> : null}
      <div
        className={`panes ${folded ? "folded" : ""} ${drawer ? "drawn" : ""}`}
        style={{ "--left": `${left}px`, "--right": `${right}px` } as CSSProperties}
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
      {exporting ? <ExportDialog session={session} onClose={() => setExporting(false)} /> : null}
    </div>
  );
}

/** What the agent of the waiting turn is told; the last one stays until there is another. */
function useBriefing(session: SessionShape): Briefing | null {
  const [briefing, setBriefing] = useState<Briefing | null>(null);
  const turnId = session.waiting[0]?.turn_id ?? null;
  const { session_id: sessionId } = session;
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
        if (!gone && error instanceof Refused) {
          setBriefing((before) => before && { ...before, problem: error.message });
        }
      },
    );
    return () => {
      gone = true;
    };
  }, [sessionId, turnId, fresh, known, connected]);
  return briefing;
}

function Gone({ message }: { message: string }) {
  return (
    <div className="empty">
      <Icon name="note" />
      <p>{message}</p>
      <button type="button" className="button primary" onClick={() => route.go("/agents")}>
        Choose an agent
      </button>
    </div>
  );
}

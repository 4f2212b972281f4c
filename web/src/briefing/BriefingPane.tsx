import { lazy, Suspense } from "react";
import type { Briefing, SessionDetail } from "../api/types";
import { findModelTurn } from "../state/sessionStatus";
import { useStoredState } from "../state/storedState";
import { InstructionTab } from "./InstructionTab";
import { RequestTab } from "./RequestTab";
import { StateTab } from "./StateTab";
import { ToolsTab } from "./ToolsTab";
import { WorldTab } from "./WorldTab";
import "./briefing.css";

/** Loaded when it is first opened, as the pages of scenarios are. */
const WorldGraphTab = lazy(() => import("../scenario/WorldGraphTab"));

const TABS = ["World", "Graph", "Instruction", "Tools", "State", "Request"] as const;
type Tab = (typeof TABS)[number];

const WORLD_TABS: readonly Tab[] = ["World", "Graph"];

/** What the model reads: its instruction, its tools, the state, and the whole request. */
export function BriefingPane({ session, briefing }: { session: SessionDetail; briefing: Briefing | null }) {
  const [stored, setTab] = useStoredState<Tab>(
    session.has_world ? "world-tab" : "briefing-tab",
    session.has_world ? "World" : "Instruction",
  );
  const tabs = TABS.filter((name) => !WORLD_TABS.includes(name) || session.has_world);
  const tab = tabs.includes(stored) ? stored : "Instruction";
  const turnId = findModelTurn(session)?.request_id ?? null;
  return (
    <section className="briefing" aria-label="What the model reads">
      <div className="tabs briefing-tabs" role="tablist">
        {tabs.map((name) => (
          <button
            key={name}
            type="button"
            role="tab"
            aria-selected={tab === name}
            className="tab"
            onClick={() => setTab(name)}
          >
            {name}
            {name === "Tools" && briefing ? <span className="quiet"> {briefing.tools.length}</span> : null}
          </button>
        ))}
      </div>
      <div className={`briefing-body ${tab === "Graph" ? "is-graph" : "scroll"}`} role="tabpanel" aria-label={tab}>
        {tab === "World" ? <WorldTab session={session} /> : null}
        {tab === "Graph" ? (
          <Suspense>
            <WorldGraphTab session={session} />
          </Suspense>
        ) : null}
        {tab === "Instruction" ? <InstructionTab briefing={briefing} /> : null}
        {tab === "Tools" ? <ToolsTab briefing={briefing} /> : null}
        {tab === "State" ? <StateTab session={session} /> : null}
        {tab === "Request" ? <RequestTab sessionId={session.session_id} turnId={turnId} /> : null}
      </div>
    </section>
  );
}

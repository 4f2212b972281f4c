import { useState } from "react";
import { api } from "../api/client";
import type { AgentInfo } from "../api/types";
import { SessionStartDialog } from "../sessionstart/SessionStartDialog";
import { describeSessionStart, loadSessionStart } from "../sessionstart/sessionStart";
import { app } from "../state/app";
import { useObservable } from "../state/observable";
import { formatSessionPath, route } from "../state/route";
import { ErrorAlert } from "../ui/ErrorAlert";
import { formatCount } from "../ui/format";
import { useAction } from "../ui/useAction";
import { PageFrame } from "./PageFrame";

/** The agents that can be played. */
export default function AgentsPage() {
  const { server } = useObservable(app);
  const agents = server?.agents ?? [];
  return (
    <PageFrame title="Agents">
      {agents.length === 0 ? (
        <div className="empty">
          <p>
            This server has no agents of its own. Agents in other processes appear under Sessions as soon as they call
            their model.
          </p>
          <button type="button" className="button primary" onClick={() => route.navigate("/sessions")}>
            Sessions
          </button>
        </div>
      ) : (
        <>
          <p className="page-lead">
            Choose an agent. Its tools run for real; its model is <b>you</b>.
          </p>
          <div className="cards">
            {agents.map((agent) => (
              <AgentCard key={agent.key} agent={agent} />
            ))}
          </div>
        </>
      )}
    </PageFrame>
  );
}

function AgentCard({ agent }: { agent: AgentInfo }) {
  const { isBusy, error, run } = useAction();
  const [isDialogOpen, setDialogOpen] = useState(false);
  const begins = describeSessionStart(loadSessionStart(agent.key));
  const hasFailed = agent.load_status === "failed";
  const startSession = () =>
    run(async () => route.navigate(formatSessionPath((await api.createSession(agent.key)).session_id)));
  // Which keys of the state the agent needs is known only when its code is loaded.
  const openDialog = () =>
    run(async () => {
      if (agent.load_status !== "loaded") await api.loadAgent(agent.key);
      await app.refresh();
      setDialogOpen(true);
    });
  return (
    <article className="card" aria-label={agent.name}>
      <h2>{agent.name}</h2>
      {agent.load_status === "loaded" ? <AgentFacts agent={agent} /> : <UnloadedAgent agent={agent} />}
      {agent.problem ? <ErrorAlert title={agent.problem} /> : null}
      {error && error.code !== "AgentLoadFailed" ? <ErrorAlert title={error.message} /> : null}
      {begins ? (
        <p className="quiet">
          Begins with <code>{begins}</code>
        </p>
      ) : null}
      <div className="card-actions">
        <button
          type="button"
          className={`button ${hasFailed ? "" : "primary"}`}
          title={hasFailed ? `Load ${agent.name} again` : `Play ${agent.name}`}
          disabled={isBusy}
          onClick={() => void (hasFailed ? run(async () => void (await api.loadAgent(agent.key))) : startSession())}
        >
          {hasFailed ? "Try again" : `Play ${agent.name}`}
        </button>
        {hasFailed ? null : (
          <button
            type="button"
            className="button"
            aria-label={`State and user of ${agent.name}`}
            disabled={isBusy}
            onClick={() => void openDialog()}
          >
            State and user…
          </button>
        )}
        {isBusy || agent.load_status === "loading" ? (
          <span className="card-progress quiet" role="status">
            <span className="spinner" />
            {agent.load_status === "loaded" ? "Starting…" : "Loading its code…"}
          </span>
        ) : null}
      </div>
      {isDialogOpen ? (
        <SessionStartDialog agent={agent} onStart={() => void startSession()} onClose={() => setDialogOpen(false)} />
      ) : null}
    </article>
  );
}

function AgentFacts({ agent }: { agent: AgentInfo }) {
  const evalSetNote =
    agent.eval_set_problem ||
    (agent.eval_case_count == null ? "no file yet" : `holds ${formatCount(agent.eval_case_count, "case")}`);
  return (
    <>
      <p>{agent.description || <span className="quiet">No description.</span>}</p>
      <dl>
        <dt>Tools</dt>
        <dd>{agent.tools.length ? <code>{agent.tools.join(", ")}</code> : "none"}</dd>
        {agent.sub_agents.length ? (
          <>
            <dt>Agents</dt>
            <dd>
              <code>{agent.sub_agents.join(", ")}</code>
            </dd>
          </>
        ) : null}
        <dt>EvalSet</dt>
        <dd>
          <code>{agent.eval_set_path}</code> <span className="quiet">{evalSetNote}</span>
        </dd>
      </dl>
    </>
  );
}

/** An agent whose code is not loaded yet, or cannot be loaded: why, where, and what to do. */
function UnloadedAgent({ agent }: { agent: AgentInfo }) {
  if (agent.load_status !== "failed") return <p className="card-filler quiet">Its code is loaded when you open it.</p>;
  return (
    <div className="card-failure">
      <ErrorAlert title={`It cannot be loaded: ${agent.load_problem}.`} />
      {agent.load_trace ? <pre className="card-trace">{agent.load_trace}</pre> : null}
      <p>{agent.load_advice}</p>
    </div>
  );
}

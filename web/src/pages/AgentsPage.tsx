import { api } from "../api/client";
import type { AgentInfo } from "../api/types";
import { app } from "../state/app";
import { useObservable } from "../state/observable";
import { formatSessionPath, route } from "../state/route";
import { ErrorAlert } from "../ui/ErrorAlert";
import { formatCount } from "../ui/format";
import { useAction } from "../ui/useAction";
import { PageFrame } from "./PageFrame";

/** The agents that can be played. */
export function AgentsPage() {
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
  const startSession = () =>
    run(async () => route.navigate(formatSessionPath((await api.createSession(agent.key)).session_id)));
  const evalSetNote =
    agent.eval_set_problem ||
    (agent.eval_case_count == null ? "no file yet" : `holds ${formatCount(agent.eval_case_count, "case")}`);
  return (
    <article className="card" aria-label={agent.name}>
      <h2>{agent.name}</h2>
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
      {agent.problem ? <ErrorAlert title={agent.problem} /> : null}
      {error ? <ErrorAlert title={error.message} /> : null}
      <button
        type="button"
        className="button primary"
        title={`Play ${agent.name}`}
        disabled={isBusy}
        onClick={() => void startSession()}
      >
        Play {agent.name}
      </button>
    </article>
  );
}

import { api } from "../api/client";
import type { AgentShape } from "../api/types";
import { app } from "../state/app";
import { route, sessionPath } from "../state/route";
import { useWatched } from "../state/store";
import { useAction } from "../ui/action";
import { Failure } from "../ui/Failure";
import { count } from "../ui/format";
import { PageFrame } from "./PageFrame";

/** The agents that can be played. */
export function Agents() {
  const { server } = useWatched(app);
  const agents = server?.agents ?? [];
  return (
    <PageFrame title="Agents">
      {agents.length === 0 ? (
        <div className="empty">
          <p>
            This server has no agents of its own. Agents that run elsewhere appear under Sessions as soon as they ask.
          </p>
          <button type="button" className="button primary" onClick={() => route.go("/sessions")}>
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

function AgentCard({ agent }: { agent: AgentShape }) {
  const { busy, trouble, run } = useAction();
  const play = () => run(async () => route.go(sessionPath((await api.newSession(agent.key)).session_id)));
  const cases =
    agent.eval_problem || (agent.eval_cases == null ? "no file yet" : `holds ${count(agent.eval_cases, "case")}`);
  return (
    <article className="card" aria-label={agent.name}>
      <h2>{agent.name}</h2>
      <p>{agent.description || <span className="quiet">No description.</span>}</p>
      <dl>
        <dt>Tools</dt>
        <dd>{agent.tools.length ? <code>{agent.tools.join(", ")}</code> : "none"}</dd>
        {agent.agents.length ? (
          <>
            <dt>Agents</dt>
            <dd>
              <code>{agent.agents.join(", ")}</code>
            </dd>
          </>
        ) : null}
        <dt>EvalSet</dt>
        <dd>
          <code>{agent.eval_set_path}</code> <span className="quiet">{cases}</span>
        </dd>
      </dl>
      {agent.problem ? <Failure title={agent.problem} /> : null}
      {trouble ? <Failure title={trouble.message} /> : null}
      <button type="button" className="button primary" disabled={busy} onClick={() => void play()}>
        Play {agent.name}
      </button>
    </article>
  );
}

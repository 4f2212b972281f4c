import { useEffect, useState } from "react";
import { api, getErrorMessage } from "../api/client";
import type { Briefing, InstructionPart, RequestInfo, SessionInfo, ToolInfo } from "../api/types";
import { JsonTree } from "../json/JsonTree";
import { type Json, parse, stringify } from "../json/lossless";
import { findModelTurn } from "../state/sessionStatus";
import { useStoredState } from "../state/storedState";
import { CopyButton } from "../ui/CopyButton";
import { ErrorAlert } from "../ui/ErrorAlert";
import { formatCount, formatSize } from "../ui/format";
import { Markdown } from "../ui/Markdown";
import { describeSchemaType } from "./schemaType";
import "./briefing.css";

const TABS = ["Instruction", "Tools", "State", "Request"] as const;
type Tab = (typeof TABS)[number];

/** What the model reads: its instruction, its tools, the state, and the whole request. */
export function BriefingPane({ session, briefing }: { session: SessionInfo; briefing: Briefing | null }) {
  const [tab, setTab] = useStoredState<Tab>("briefing-tab", "Instruction");
  const turnId = findModelTurn(session)?.request_id ?? null;
  return (
    <section className="briefing" aria-label="What the model reads">
      <div className="tabs briefing-tabs" role="tablist">
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
            {one === "Tools" && briefing ? <span className="quiet"> {briefing.tools.length}</span> : null}
          </button>
        ))}
      </div>
      <div className="briefing-body scroll" role="tabpanel" aria-label={tab}>
        {tab === "Instruction" ? <InstructionTab briefing={briefing} /> : null}
        {tab === "Tools" ? <ToolsTab briefing={briefing} /> : null}
        {tab === "State" ? <StateTab sessionId={session.session_id} seq={session.last_seq} /> : null}
        {tab === "Request" ? <RequestTab sessionId={session.session_id} turnId={turnId} /> : null}
      </div>
    </section>
  );
}

function InstructionTab({ briefing }: { briefing: Briefing | null }) {
  const [open, setOpen] = useStoredState("instruction-open", true);
  if (!briefing) return <p className="quiet">Loading…</p>;
  return (
    <>
      {briefing.problem ? <ErrorAlert title={briefing.problem} /> : null}
      <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary className="briefing-agent">
          <b>{briefing.agent_name}</b>
          {briefing.model ? <span className="quiet">{briefing.model}</span> : null}
        </summary>
        {briefing.is_template ? (
          <p className="notice">This is the template: the variables in braces are filled when the agent runs.</p>
        ) : null}
        {briefing.instruction_parts.map((part, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: parts have no identity but their order
          <InstructionPartView key={index} part={part} />
        ))}
        {briefing.instruction || briefing.problem ? null : <p className="quiet">This agent has no instruction.</p>}
      </details>
    </>
  );
}

function InstructionPartView({ part }: { part: InstructionPart }) {
  if (!part.is_from_adk) return <Markdown text={part.text} />;
  return (
    <section className="adk-part" aria-label="Added by ADK">
      <div className="quiet">Added by ADK</div>
      <Markdown text={part.text} />
    </section>
  );
}

function ToolsTab({ briefing }: { briefing: Briefing | null }) {
  if (!briefing) return <p className="quiet">Loading…</p>;
  if (briefing.problem) return <ErrorAlert title={briefing.problem} />;
  if (briefing.tools.length === 0) return <p className="quiet">This agent has no tools. It can only answer.</p>;
  return (
    <ul className="tools">
      {briefing.tools.map((tool) => (
        <li key={tool.name}>
          <ToolEntry tool={tool} />
        </li>
      ))}
    </ul>
  );
}

function ToolEntry({ tool }: { tool: ToolInfo }) {
  const properties = Object.entries((tool.parameters.properties ?? {}) as Record<string, Record<string, unknown>>);
  const required = (tool.parameters.required ?? []) as string[];
  return (
    <details className="tool">
      <summary>
        <b className="mono tool-name">{tool.name}</b>
        {tool.asks_for_consent ? (
          <span className="quiet" title="A call of this tool may ask the user for consent">
            asks first
          </span>
        ) : null}
        <span className="quiet tool-line">{tool.description.split("\n")[0]}</span>
      </summary>
      <div className="tool-body">
        <p className="tool-text">{tool.description}</p>
        {properties.length ? (
          <table className="parameters">
            <tbody>
              {properties.map(([name, schema]) => (
                <tr key={name}>
                  <th scope="row">
                    <code>{name}</code>
                    {required.includes(name) ? <span title="required"> *</span> : null}
                  </th>
                  <td>
                    <code className="quiet">{describeSchemaType(schema)}</code>
                    {typeof schema.description === "string" ? <div className="quiet">{schema.description}</div> : null}
                  </td>
                </tr>
              ))}
            </tbody>
          </table>
        ) : (
          <p className="quiet">No parameters.</p>
        )}
        <details>
          <summary className="quiet">Schema of the parameters</summary>
          <JsonTree value={parse(JSON.stringify(tool.parameters))} />
        </details>
        {tool.response_schema ? (
          <details>
            <summary className="quiet">Schema of the result</summary>
            <JsonTree value={parse(JSON.stringify(tool.response_schema))} />
          </details>
        ) : null}
      </div>
    </details>
  );
}

function StateTab({ sessionId, seq }: { sessionId: string; seq: number }) {
  const [state, setState] = useState<Json | undefined>();
  const [error, setError] = useState("");
  // biome-ignore lint/correctness/useExhaustiveDependencies: each event may have changed the state
  useEffect(() => {
    let isCancelled = false;
    api.getState(sessionId).then(
      (text) => {
        if (!isCancelled) setState(parse(text));
      },
      (error: unknown) => {
        if (!isCancelled) setError(getErrorMessage(error));
      },
    );
    return () => {
      isCancelled = true;
    };
  }, [sessionId, seq]);
  if (error) return <ErrorAlert title={error} />;
  if (state === undefined) return <p className="quiet">Loading…</p>;
  if (state instanceof Map && state.size === 0) return <p className="quiet">The session state is empty.</p>;
  return <JsonTree value={state} />;
}

/** The exact request; the last one stays until the next turn is waiting. */
function RequestTab({ sessionId, turnId }: { sessionId: string; turnId: string | null }) {
  const [request, setRequest] = useState<{
    turnId: string;
    text: string;
    characterCount: number;
    tokenEstimate: number;
    value: Json;
  } | null>(null);
  const [error, setError] = useState("");
  useEffect(() => {
    if (!turnId) return;
    let isCancelled = false;
    api.getRequest(sessionId, turnId).then(
      (answer) => {
        if (isCancelled) return;
        const document = parse(answer);
        const value = (document instanceof Map ? document.get("request") : null) ?? null;
        const { character_count: characterCount, token_estimate: tokenEstimate } = JSON.parse(answer) as RequestInfo;
        setRequest({ turnId, text: stringify(value, 2), characterCount, tokenEstimate, value });
      },
      (error: unknown) => {
        if (!isCancelled) setError(getErrorMessage(error));
      },
    );
    return () => {
      isCancelled = true;
    };
  }, [sessionId, turnId]);
  if (error) return <ErrorAlert title={error} />;
  if (!request) return <p className="quiet">The exact request appears here when a turn is waiting for you.</p>;
  return (
    <>
      <div className="request-head">
        <span className="quiet" title="A quarter of the characters; models count differently">
          {formatSize(request.characterCount)}, about {formatCount(request.tokenEstimate, "token")}
          {turnId === request.turnId ? "" : " · of the last turn"}
        </span>
        <CopyButton text={request.text} />
      </div>
      <JsonTree value={request.value} renderMarkdown={(text) => <Markdown text={text} />} />
    </>
  );
}

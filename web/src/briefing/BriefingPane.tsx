import { useEffect, useState } from "react";
import { api, words } from "../api/client";
import type { Briefing, RequestShape, SessionShape, ToolShape } from "../api/types";
import { JsonTree } from "../json/JsonTree";
import { type Json, parse, stringify } from "../json/lossless";
import { useKept } from "../state/kept";
import { CopyButton } from "../ui/CopyButton";
import { Failure } from "../ui/Failure";
import { count, size } from "../ui/format";
import { Markdown } from "../ui/Markdown";
import { schemaType } from "./type";
import "./briefing.css";

const TABS = ["Instruction", "Tools", "State", "Request"] as const;
type Tab = (typeof TABS)[number];

/** What the model reads: its instruction, its tools, the state, and the whole request. */
export function BriefingPane({ session, briefing }: { session: SessionShape; briefing: Briefing | null }) {
  const [tab, setTab] = useKept<Tab>("briefing-tab", "Instruction");
  const turnId = session.waiting[0]?.turn_id ?? null;
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
        {tab === "Instruction" ? <Instruction briefing={briefing} /> : null}
        {tab === "Tools" ? <Tools briefing={briefing} /> : null}
        {tab === "State" ? <State sessionId={session.session_id} seq={session.seq} /> : null}
        {tab === "Request" ? <Request sessionId={session.session_id} turnId={turnId} /> : null}
      </div>
    </section>
  );
}

function Instruction({ briefing }: { briefing: Briefing | null }) {
  const [open, setOpen] = useKept("instruction-open", true);
  if (!briefing) return <p className="quiet">Loading…</p>;
  return (
    <>
      {briefing.problem ? <Failure title={briefing.problem} /> : null}
      <details open={open} onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary className="briefing-agent">
          <b>{briefing.agent_name}</b>
          {briefing.model ? <span className="quiet">{briefing.model}</span> : null}
        </summary>
        {briefing.instruction ? (
          <Markdown text={briefing.instruction} />
        ) : (
          <p className="quiet">This agent has no instruction.</p>
        )}
      </details>
    </>
  );
}

function Tools({ briefing }: { briefing: Briefing | null }) {
  if (!briefing) return <p className="quiet">Loading…</p>;
  if (briefing.problem) return <Failure title={briefing.problem} />;
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

function ToolEntry({ tool }: { tool: ToolShape }) {
  const properties = Object.entries((tool.parameters.properties ?? {}) as Record<string, Record<string, unknown>>);
  const required = (tool.parameters.required ?? []) as string[];
  return (
    <details className="tool">
      <summary>
        <b className="mono tool-name">{tool.name}</b>
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
                    <code className="quiet">{schemaType(schema)}</code>
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
        {tool.response ? (
          <details>
            <summary className="quiet">Schema of the result</summary>
            <JsonTree value={parse(JSON.stringify(tool.response))} />
          </details>
        ) : null}
      </div>
    </details>
  );
}

function State({ sessionId, seq }: { sessionId: string; seq: number }) {
  const [state, setState] = useState<Json | undefined>();
  const [trouble, setTrouble] = useState("");
  // biome-ignore lint/correctness/useExhaustiveDependencies: each event may have changed the state
  useEffect(() => {
    let gone = false;
    api.state(sessionId).then(
      (text) => {
        if (!gone) setState(parse(text));
      },
      (error: unknown) => {
        if (!gone) setTrouble(words(error));
      },
    );
    return () => {
      gone = true;
    };
  }, [sessionId, seq]);
  if (trouble) return <Failure title={trouble} />;
  if (state === undefined) return <p className="quiet">Loading…</p>;
  if (state instanceof Map && state.size === 0) return <p className="quiet">The session state is empty.</p>;
  return <JsonTree value={state} />;
}

/** The exact request; that of the last turn stays until the next one waits. */
function Request({ sessionId, turnId }: { sessionId: string; turnId: string | null }) {
  const [shown, setShown] = useState<{
    turnId: string;
    text: string;
    characters: number;
    tokens: number;
    value: Json;
  } | null>(null);
  const [trouble, setTrouble] = useState("");
  useEffect(() => {
    if (!turnId) return;
    let gone = false;
    api.request(sessionId, turnId).then(
      (answer) => {
        if (gone) return;
        const whole = parse(answer);
        const value = (whole instanceof Map ? whole.get("request") : null) ?? null;
        const { characters, tokens } = JSON.parse(answer) as RequestShape;
        setShown({ turnId, text: stringify(value, 2), characters, tokens, value });
      },
      (error: unknown) => {
        if (!gone) setTrouble(words(error));
      },
    );
    return () => {
      gone = true;
    };
  }, [sessionId, turnId]);
  if (trouble) return <Failure title={trouble} />;
  if (!shown) return <p className="quiet">The exact request stands here when a turn of the model waits for you.</p>;
  return (
    <>
      <div className="request-head">
        <span className="quiet" title="A quarter of the characters; models count differently">
          {size(shown.characters)}, about {count(shown.tokens, "token")}
          {turnId === shown.turnId ? "" : " · of the last turn"}
        </span>
        <CopyButton text={shown.text} />
      </div>
      <JsonTree value={shown.value} renderMarkdown={(text) => <Markdown text={text} />} />
    </>
  );
}

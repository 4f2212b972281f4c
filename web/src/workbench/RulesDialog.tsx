import { useEffect, useState } from "react";
import { api, words } from "../api/client";
import type { EnvironmentShape, SessionShape, ToolShape } from "../api/types";
import { parse, stringify } from "../json/lossless";
import { useAction } from "../ui/action";
import { Dialog } from "../ui/Dialog";
import { Failure } from "../ui/Failure";
import { count } from "../ui/format";

/** What answers instead of the tools: the rules, how often each did, and faults for the next calls. */
export function RulesDialog({
  session,
  tools,
  onClose,
}: {
  session: SessionShape;
  tools: ToolShape[];
  onClose: () => void;
}) {
  const [environment, setEnvironment] = useState<EnvironmentShape | null>(null);
  const [trouble, setTrouble] = useState("");
  const { session_id: id, seq } = session;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each event may be a call that a rule answered
  useEffect(() => {
    api.environment(id).then(setEnvironment, (error: unknown) => setTrouble(words(error)));
  }, [id, seq]);
  const flip = (name: string, on: boolean) => {
    setEnvironment(
      environment && {
        ...environment,
        rules: environment.rules.map((rule) => (rule.name === name ? { ...rule, on } : rule)),
      },
    );
    api.switchRule(id, { rule: name, on }).then(setEnvironment, (error: unknown) => setTrouble(words(error)));
  };
  return (
    <Dialog title="Rules: what answers instead of the tools" onClose={onClose}>
      {trouble ? <Failure title={trouble} /> : null}
      {environment?.rules.length ? (
        <table className="table">
          <thead>
            <tr>
              <th>On</th>
              <th>Rule</th>
              <th>Tools</th>
              <th>Does</th>
              <th>Tried</th>
              <th>Fired</th>
            </tr>
          </thead>
          <tbody>
            {environment.rules.map((rule) => (
              <tr key={rule.name}>
                <td>
                  <input
                    type="checkbox"
                    aria-label={`Rule ${rule.name}`}
                    checked={rule.on}
                    onChange={(event) => flip(rule.name, event.target.checked)}
                  />
                </td>
                <td>{rule.name}</td>
                <td>
                  <code>{rule.tools.join(", ")}</code>
                </td>
                <td>{rule.actions.join(", then ")}</td>
                <td>{rule.tried}</td>
                <td>{rule.fired}</td>
              </tr>
            ))}
          </tbody>
        </table>
      ) : environment ? (
        <p className="quiet">
          There are no rules: every tool answers for itself. A rules file is given with{" "}
          <code>adksim run AGENT_DIR --web --environment FILE</code>.
        </p>
      ) : null}
      {environment ? (
        <FaultForm
          tools={tools.map((tool) => tool.name)}
          waiting={environment.faults}
          onFault={async (tool, action) => setEnvironment(await api.addFault(id, { tool, action }))}
        />
      ) : null}
    </Dialog>
  );
}

const KINDS = {
  error: { word: "answers with an error", label: "Message", text: "Service unavailable" },
  raise: { word: "raises an exception", label: "Exception", text: "ConnectionError" },
  respond: { word: "answers with", label: "JSON", text: '{"result": "ok"}' },
  timeout: { word: "times out after", label: "Seconds", text: "5" },
  delay: { word: "is slower by", label: "Seconds", text: "5" },
} as const;
type FaultKind = keyof typeof KINDS;

function FaultForm({
  tools,
  waiting,
  onFault,
}: {
  tools: string[];
  waiting: Record<string, number>;
  onFault: (tool: string, action: string) => Promise<void>;
}) {
  const [tool, setTool] = useState(tools[0] ?? "");
  const [kind, setKind] = useState<FaultKind>("error");
  const [text, setText] = useState<string>(KINDS.error.text);
  const { busy, trouble, run } = useAction();
  const add = () => run(async () => onFault(tool, actionOf(kind, text)));
  const queued = Object.entries(waiting);
  return (
    <section className="fault">
      <h3>A fault for the next call</h3>
      <div className="fault-line">
        <label>
          <span className="field-label">The next call of</span>
          <select className="input" value={tool} onChange={(event) => setTool(event.target.value)}>
            {tools.map((name) => (
              <option key={name}>{name}</option>
            ))}
          </select>
        </label>
        <label>
          <span className="field-label">What happens</span>
          <select
            className="input"
            value={kind}
            onChange={(event) => {
              const next = event.target.value as FaultKind;
              setKind(next);
              setText(KINDS[next].text);
            }}
          >
            {Object.entries(KINDS).map(([key, { word }]) => (
              <option key={key} value={key}>
                {word}
              </option>
            ))}
          </select>
        </label>
        <label className="grow">
          <span className="field-label">{KINDS[kind].label}</span>
          <input className="input mono" value={text} onChange={(event) => setText(event.target.value)} />
        </label>
        <button type="button" className="button" disabled={busy || !tool} onClick={() => void add()}>
          Add fault
        </button>
      </div>
      {trouble ? <Failure title={trouble.message} /> : null}
      {queued.length ? (
        <p className="quiet">
          {queued
            .map(([name, number]) => `${count(number, "fault")} ${number === 1 ? "waits" : "wait"} for ${name}`)
            .join("; ")}
        </p>
      ) : null}
    </section>
  );
}

/** The action as a rules file writes it. */
function actionOf(kind: FaultKind, text: string): string {
  switch (kind) {
    case "error":
      return JSON.stringify({ error: { code: 503, message: text } });
    case "raise": {
      const [type = "", ...message] = text.split(":");
      const said = message.join(":").trim();
      return JSON.stringify({ raise: said ? { type: type.trim(), message: said } : { type: type.trim() } });
    }
    case "respond":
      return `{"respond": ${stringify(parse(text))}}`;
    default:
      return JSON.stringify({ [kind]: Number(text) });
  }
}

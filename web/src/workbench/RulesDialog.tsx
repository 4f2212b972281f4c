import { useEffect, useState } from "react";
import { api, getErrorMessage } from "../api/client";
import type { EnvironmentInfo, SessionInfo, ToolInfo } from "../api/types";
import { parse, stringify } from "../json/lossless";
import { removeStored, useStoredState } from "../state/storedState";
import { Dialog } from "../ui/Dialog";
import { ErrorAlert } from "../ui/ErrorAlert";
import { formatCount } from "../ui/format";
import { useAction } from "../ui/useAction";

/** The rules that answer instead of tools, how often each fired, and faults for the next calls. */
export function RulesDialog({
  session,
  tools,
  onClose,
}: {
  session: SessionInfo;
  tools: ToolInfo[];
  onClose: () => void;
}) {
  const [environment, setEnvironment] = useState<EnvironmentInfo | null>(null);
  const [error, setError] = useState("");
  const { session_id: sessionId, last_seq: lastSeq } = session;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each event may be a call that a rule answered
  useEffect(() => {
    api.getEnvironment(sessionId).then(setEnvironment, (error: unknown) => setError(getErrorMessage(error)));
  }, [sessionId, lastSeq]);
  const toggleRule = (name: string, enabled: boolean) => {
    setEnvironment(
      environment && {
        ...environment,
        rules: environment.rules.map((rule) => (rule.name === name ? { ...rule, enabled } : rule)),
      },
    );
    api
      .switchRule(sessionId, { rule: name, enabled })
      .then(setEnvironment, (error: unknown) => setError(getErrorMessage(error)));
  };
  return (
    <Dialog title="Rules: what answers instead of the tools" onClose={onClose}>
      {error ? <ErrorAlert title={error} /> : null}
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
                    checked={rule.enabled}
                    onChange={(event) => toggleRule(rule.name, event.target.checked)}
                  />
                </td>
                <td>{rule.name}</td>
                <td>
                  <code>{rule.tools.join(", ")}</code>
                </td>
                <td>{rule.actions.join(", then ")}</td>
                <td>{rule.tried_count}</td>
                <td>{rule.fired_count}</td>
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
          sessionId={sessionId}
          tools={tools.map((tool) => tool.name)}
          pending={environment.pending_faults}
          onFault={async (tool, action) => setEnvironment(await api.addFault(sessionId, { tool_name: tool, action }))}
        />
      ) : null}
    </Dialog>
  );
}

const FAULT_KINDS = {
  error: { word: "answers with an error", label: "Message", text: "Service unavailable" },
  raise: { word: "raises an exception", label: "Exception", text: "ConnectionError" },
  respond: { word: "answers with", label: "JSON", text: '{"result": "ok"}' },
  timeout: { word: "times out after", label: "Seconds", text: "5" },
  delay: { word: "is slower by", label: "Seconds", text: "5" },
} as const;
type FaultKind = keyof typeof FAULT_KINDS;

interface FaultDraft {
  tool: string;
  kind: FaultKind;
  text: string;
}

const NEW_FAULT: FaultDraft = { tool: "", kind: "error", text: FAULT_KINDS.error.text };

function FaultForm({
  sessionId,
  tools,
  pending,
  onFault,
}: {
  sessionId: string;
  tools: string[];
  pending: Record<string, number>;
  onFault: (tool: string, action: string) => Promise<void>;
}) {
  // A fault that was not added yet is there again when the dialog is opened again.
  const [draft, setDraft] = useStoredState<FaultDraft>(`fault:${sessionId}`, NEW_FAULT);
  const { kind, text } = draft;
  const tool = tools.includes(draft.tool) ? draft.tool : (tools[0] ?? "");
  const changeDraft = (change: Partial<FaultDraft>) => setDraft((before) => ({ ...before, ...change }));
  const { isBusy, error, run } = useAction();
  const addFault = async () => {
    if (!(await run(async () => onFault(tool, formatFaultAction(kind, text))))) return;
    setDraft(NEW_FAULT);
    removeStored(`fault:${sessionId}`);
  };
  const pendingFaults = Object.entries(pending);
  return (
    <section className="fault">
      <h3>A fault for the next call</h3>
      <div className="fault-line">
        <label>
          <span className="field-label">The next call of</span>
          <select className="input" value={tool} onChange={(event) => changeDraft({ tool: event.target.value })}>
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
              changeDraft({ kind: next, text: FAULT_KINDS[next].text });
            }}
          >
            {Object.entries(FAULT_KINDS).map(([key, { word }]) => (
              <option key={key} value={key}>
                {word}
              </option>
            ))}
          </select>
        </label>
        <label className="grow">
          <span className="field-label">{FAULT_KINDS[kind].label}</span>
          <input className="input mono" value={text} onChange={(event) => changeDraft({ text: event.target.value })} />
        </label>
        <button type="button" className="button" disabled={isBusy || !tool} onClick={() => void addFault()}>
          Add fault
        </button>
      </div>
      {error ? <ErrorAlert title={error.message} /> : null}
      {pendingFaults.length ? (
        <p className="quiet">
          {pendingFaults.map(([name, number]) => `${formatCount(number, "fault")} pending for ${name}`).join("; ")}
        </p>
      ) : null}
    </section>
  );
}

/** The fault as a rules file writes its action. */
function formatFaultAction(kind: FaultKind, text: string): string {
  switch (kind) {
    case "error":
      return JSON.stringify({ error: { code: 503, message: text } });
    case "raise": {
      const [type = "", ...message] = text.split(":");
      const detail = message.join(":").trim();
      return JSON.stringify({ raise: detail ? { type: type.trim(), message: detail } : { type: type.trim() } });
    }
    case "respond":
      return `{"respond": ${stringify(parse(text))}}`;
    default:
      return JSON.stringify({ [kind]: Number(text) });
  }
}

import { useEffect, useState } from "react";
import { api, getErrorMessage } from "../api/client";
import type { EnvironmentInfo, RuleInfo, SessionInfo, ToolInfo } from "../api/types";
import { parse, stringify } from "../json/lossless";
import { ErrorAlert } from "../ui/ErrorAlert";
import { focusComposer } from "../ui/focus";
import { formatCount } from "../ui/format";
import { Icon } from "../ui/Icon";
import { FaultEditor } from "./FaultEditor";

/** Beside the timeline: the rules that answer instead of tools, how often each fired, and faults for the next calls. */
export function RulesPanel({
  session,
  tools,
  onChange,
  onClose,
}: {
  session: SessionInfo;
  tools: ToolInfo[];
  /** The pending faults may have changed. */
  onChange: () => void;
  onClose: () => void;
}) {
  const [environment, setEnvironment] = useState<EnvironmentInfo | null>(null);
  const [error, setError] = useState("");
  const { session_id: sessionId, last_seq: lastSeq } = session;
  // biome-ignore lint/correctness/useExhaustiveDependencies: each event may be a call that a rule answered
  useEffect(() => {
    api.getEnvironment(sessionId).then(setEnvironment, (error: unknown) => setError(getErrorMessage(error)));
  }, [sessionId, lastSeq]);
  const change = async (request: Promise<EnvironmentInfo>) => {
    setEnvironment(await request);
    onChange();
  };
  const toggleRule = (name: string, enabled: boolean) => {
    setEnvironment(
      environment && {
        ...environment,
        rules: environment.rules.map((rule) => (rule.name === name ? { ...rule, enabled } : rule)),
      },
    );
    change(api.switchRule(sessionId, { rule: name, enabled })).catch((error: unknown) =>
      setError(getErrorMessage(error)),
    );
  };
  return (
    <section className="rules-panel scroll" aria-label="Rules">
      <header className="rules-head">
        <h2>Rules</h2>
        <span className="quiet">answer instead of the tools</span>
        <span className="grow" />
        <button
          type="button"
          className="button plain small icon-only"
          aria-label="Close the rules"
          title="Close the rules"
          onClick={() => {
            onClose();
            focusComposer();
          }}
        >
          <Icon name="close" />
        </button>
      </header>
      {error ? <ErrorAlert title={error} /> : null}
      {environment?.rules.length ? (
        <ol className="rules-list">
          {environment.rules.map((rule) => (
            <RuleItem key={rule.name} rule={rule} onToggle={(enabled) => toggleRule(rule.name, enabled)} />
          ))}
        </ol>
      ) : environment ? (
        <p className="quiet rules-none">
          There are no rules: every tool answers for itself. A rules file is given with{" "}
          <code>adksim run AGENT_DIR --web --environment FILE</code>.
        </p>
      ) : null}
      {environment ? (
        <FaultEditor sessionId={sessionId} tools={tools} environment={environment} onChange={change} />
      ) : null}
    </section>
  );
}

/** A rule: when it answers, what it does, and how often it did. */
function RuleItem({ rule, onToggle }: { rule: RuleInfo; onToggle: (enabled: boolean) => void }) {
  return (
    <li className={rule.enabled ? "rule" : "rule rule-off"} aria-label={rule.name}>
      <label className="rule-name">
        <input
          type="checkbox"
          aria-label={`Rule ${rule.name}`}
          checked={rule.enabled}
          onChange={(event) => onToggle(event.target.checked)}
        />
        <b>{rule.name}</b>
      </label>
      <dl>
        <dt>when</dt>
        <dd>
          <code>{rule.tools.join(", ")}</code> is called
          {rule.conditions.map((condition) => (
            <div key={condition}>{condition}</div>
          ))}
        </dd>
        <dt>then</dt>
        <dd>
          {rule.effects.map((effect, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the actions of a rule keep their order
            <code key={index} className="rule-effect">
              {formatEffect(effect)}
            </code>
          ))}
        </dd>
      </dl>
      <p className="quiet">
        fired {formatCount(rule.fired_count, "time")}, tried {formatCount(rule.tried_count, "time")}
      </p>
    </li>
  );
}

/** An action as a line of a rules file: `error: {"code":503,...}`. */
function formatEffect(action: string): string {
  const parsed = parse(action);
  if (!(parsed instanceof Map)) return action;
  return [...parsed].map(([key, value]) => `${key}: ${stringify(value)}`).join("\n");
}

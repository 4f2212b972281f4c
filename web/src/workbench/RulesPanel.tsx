import { api } from "../api/client";
import type { EnvironmentInfo, RuleInfo, SessionRecord, ToolInfo } from "../api/types";
import { ErrorAlert } from "../ui/ErrorAlert";
import { focusComposer } from "../ui/focus";
import { formatCount } from "../ui/format";
import { Icon } from "../ui/Icon";
import { FaultEditor } from "./FaultEditor";
import { formatEffect, formatProfiles } from "./ruleText";
import { ToolPlayers } from "./ToolPlayers";
import { type ToolPlayer, withToolPlayer } from "./toolPlayer";
import { useEnvironment } from "./useEnvironment";

/** Beside the timeline: the rules that answer instead of tools, how often each fired, and faults for the next calls. */
export function RulesPanel({
  session,
  tools,
  onChange,
  onClose,
}: {
  session: SessionRecord;
  /** The tools of the agent; null until they are known. */
  tools: ToolInfo[] | null;
  /** The pending faults may have changed. */
  onChange: () => void;
  onClose: () => void;
}) {
  const { session_id: sessionId, last_seq: lastSeq } = session;
  const { environment, error, change, changeAtOnce } = useEnvironment(sessionId, lastSeq);
  const toggleRule = (name: string, enabled: boolean) =>
    void changeAtOnce(
      ({ rules }) => ({ rules: rules.map((rule) => (rule.name === name ? { ...rule, enabled } : rule)) }),
      api.switchRule(sessionId, { rule: name, enabled }),
    ).then(onChange);
  const switchProfile = (profile: string | null) =>
    void changeAtOnce(() => ({ profile }), api.switchProfile(sessionId, { profile })).then(onChange);
  const switchTool = (tool: string, player: ToolPlayer) =>
    void changeAtOnce(
      ({ tool_players: players }) => ({ tool_players: withToolPlayer(players, tool, player) }),
      api.switchTool(sessionId, { tool_name: tool, player }),
    ).then(onChange);
  const changeFaults = async (request: Promise<EnvironmentInfo>) => {
    await change(request);
    onChange();
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
      {environment?.profiles.length ? <ProfileSelect environment={environment} onSwitch={switchProfile} /> : null}
      {environment?.rules.length ? (
        <ol className="rules-list">
          {environment.rules.map((rule) => (
            <RuleItem key={rule.name} rule={rule} onToggle={(enabled) => toggleRule(rule.name, enabled)} />
          ))}
        </ol>
      ) : environment ? (
        <p className="quiet rules-none">
          There are no rules: every tool answers for itself, unless you choose another player. A rules file is given
          with <code>adksim run AGENT_DIR --web --rules FILE</code>.
        </p>
      ) : null}
      {environment ? <ToolPlayers tools={tools ?? []} environment={environment} onSwitch={switchTool} /> : null}
      {environment && tools ? (
        <FaultEditor sessionId={sessionId} tools={tools} environment={environment} onChange={changeFaults} />
      ) : null}
    </section>
  );
}

/** The profile of the rules: those of other profiles are off. */
function ProfileSelect({
  environment: { profile, profiles },
  onSwitch,
}: {
  environment: EnvironmentInfo;
  onSwitch: (profile: string | null) => void;
}) {
  return (
    <label className="rules-profile">
      <span className="field-label">Profile, from the next call on</span>
      <select className="input" value={profile ?? ""} onChange={(event) => onSwitch(event.target.value || null)}>
        <option value="">none</option>
        {profiles.map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
    </label>
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
          {rule.seat === "model" ? "the model" : <code>{rule.tools.join(", ")}</code>} is called
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
      {rule.profiles.length ? <p className="quiet">{formatProfiles(rule.profiles)}</p> : null}
      <p className="quiet">
        fired {formatCount(rule.fired_count, "time")}, tried {formatCount(rule.tried_count, "time")}
      </p>
    </li>
  );
}

import type { EnvironmentInfo, ToolInfo } from "../api/types";
import { listToolPlayers, type ToolPlayer } from "./toolPlayer";

/** Who plays each tool of the agent, from the next call on. */
export function ToolPlayers({
  tools,
  environment,
  onSwitch,
}: {
  tools: ToolInfo[];
  environment: EnvironmentInfo;
  onSwitch: (tool: string, player: ToolPlayer) => void;
}) {
  const names = tools.map((tool) => tool.name);
  const removedTools = Object.keys(environment.tool_players).filter((name) => !names.includes(name));
  const toolNames = [...names, ...removedTools];
  if (!toolNames.length) return null;
  const options = listToolPlayers(environment);
  return (
    <section className="tool-players" aria-label="Tools">
      <h3>Who plays each tool</h3>
      <ul>
        {toolNames.map((name) => (
          <li key={name}>
            <code title={name}>{name}</code>
            <select
              className="input"
              aria-label={`Player of ${name}`}
              value={environment.tool_players[name] ?? "rules"}
              onChange={(event) => onSwitch(name, event.target.value as ToolPlayer)}
            >
              {options.map(({ value, label }) => (
                <option key={value} value={value}>
                  {label}
                </option>
              ))}
            </select>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Who can play a tool of a session. */

import type { EnvironmentInfo, ToolSwitchInput } from "../api/types";

export type ToolPlayer = ToolSwitchInput["player"];

type PlayerOption = { value: ToolPlayer; label: string };

const MOCKS: PlayerOption[] = [
  { value: "schema", label: "mock: schema" },
  { value: "stateful", label: "mock: stateful" },
];
const PERSON: PlayerOption = { value: "human", label: "a person" };

/**
 * The players to choose from; without rules, what the rules say is the tool itself. Mocks that need a model or a
 * recording are offered only if the session's rules or settings name one.
 */
export function listToolPlayers({
  rules,
  refuses_real_tools: refusesReal,
  configured_mocks: configured,
}: Pick<EnvironmentInfo, "rules" | "refuses_real_tools" | "configured_mocks">): PlayerOption[] {
  const hasRules = rules.some((rule) => rule.seat === "tool");
  const real: PlayerOption = { value: hasRules ? "real" : "rules", label: "the tool itself" };
  const byRules: PlayerOption = { value: "rules", label: "as the rules say" };
  const configuredMocks = (["llm", "replay"] as const).flatMap((value): PlayerOption[] => {
    const source = configured[value];
    return source === undefined ? [] : [{ value, label: `mock: ${value} (${source})` }];
  });
  return [
    ...(hasRules ? [byRules] : []),
    ...(hasRules && refusesReal ? [] : [real]),
    ...MOCKS,
    ...configuredMocks,
    PERSON,
  ];
}

/** The players after one more choice, as the server will report them. */
export function withToolPlayer(
  players: EnvironmentInfo["tool_players"],
  tool: string,
  player: ToolPlayer,
): EnvironmentInfo["tool_players"] {
  const { [tool]: _, ...others } = players;
  return player === "rules" ? others : { ...others, [tool]: player };
}

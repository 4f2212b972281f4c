"""Who plays the tools of one session, where a person has chosen it while the session runs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, TypeAlias, cast

from adk_agent_sim.environment.actions.mock_response import Mock
from adk_agent_sim.environment.report_fold import name_choice
from adk_agent_sim.environment.rule_match import Match
from adk_agent_sim.environment.rulebook import CompiledRule
from adk_agent_sim.environment.rules import Rule

ToolPlayer: TypeAlias = Literal["rules", "real", "schema", "stateful", "llm", "replay", "human"]
"""Who plays a tool: whoever the rules say, the tool itself, a mock of that kind, or a person."""


class ToolChoices:
    """The tools for which a player was chosen, and the rules that stand for the players."""

    def __init__(self) -> None:
        self._rules: dict[str, CompiledRule | None] = {}
        self._unrecorded: dict[str, ToolPlayer] = {}
        self.players: dict[str, ToolPlayer] = {}
        """The chosen players by tool; tools that are played as the rules say are left out."""

    @property
    def has_unrecorded(self) -> bool:
        """Whether there are choices that the timeline does not have yet."""
        return bool(self._unrecorded)

    def __contains__(self, tool: str) -> bool:
        return tool in self.players

    def choose(self, tool: str, player: ToolPlayer, mock: Mock | None = None) -> None:
        """Let a player play a tool from the next call on.

        Args:
            tool: The name of the tool.
            player: Who plays it.
            mock: What responds, if the player is a mock that must be configured.
        """
        if player == self.players.get(tool, "rules"):
            return
        self._unrecorded[tool] = player
        if player == "rules":
            del self.players[tool]
            return
        self.players[tool] = player
        if player == "real":
            self._rules[tool] = None
        else:
            name = name_choice(tool)
            rule = Rule(name=name, match=Match(tool=[tool]), do=[mock or Mock(mock=player)])
            # -1 is the index of no rule, so switching rules on or off never concerns a choice.
            self._rules[tool] = CompiledRule(rule, name=name, index=-1)

    def get_rule(self, tool: str) -> CompiledRule | None:
        """Return the rule that stands for the chosen player of a tool; None for the tool itself."""
        return self._rules[tool]

    def compare_with_recorded(self, recorded: Mapping[str, str]) -> None:
        """Note which players the timeline has, by tool: what differs is not recorded yet.

        A timeline that was rewound, or forked, may lack a choice that is still in force.
        """
        tools = {**self.players, **recorded}
        self._unrecorded = {
            tool: self.players.get(tool, "rules")
            for tool in tools
            if self.players.get(tool, "rules") != recorded.get(tool, "rules")
        }

    def take_unrecorded(self) -> Mapping[str, str]:
        """Return the choices that the timeline does not have yet, by tool; from now on it has them."""
        taken, self._unrecorded = self._unrecorded, {}
        return cast("Mapping[str, str]", taken)

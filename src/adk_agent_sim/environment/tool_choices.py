"""Who plays the tools of one session, where a person has chosen it while it runs; and the mocks to choose from.

Of the mocks that need a model or a recording, there are only those that rules or Python code name. A person who chooses
one names neither, so that a request can make a server ask no model and read no file that was not configured.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import PurePath
from typing import Literal, TypeAlias, cast

from adk_agent_sim.environment.actions.mock_response import DEFAULT_MODEL, Mock
from adk_agent_sim.environment.report_fold import name_choice
from adk_agent_sim.environment.rulebook import CompiledRule, Rulebook
from adk_agent_sim.environment.rules import Match, Rule
from adk_agent_sim.text.glob_match import GlobSet

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


ConfiguredMock: TypeAlias = Literal["llm", "replay"]
"""A kind of mock that must be configured."""


_CONFIGURED_PARTS: Mapping[ConfiguredMock, tuple[str, str]] = {
    "llm": ("model", "{mock: llm, model: NAME}"),
    "replay": ("recording", "{mock: replay, from: FILE}"),
}
"""What mocks need that only rules name, and how rules name it."""


class ConfiguredMocks:
    """Finds the mock of a kind for a tool."""

    def __init__(self, rulebook: Rulebook, default_model: str = "") -> None:
        """Find the mocks.

        Args:
            rulebook: The rules; those that are switched off count too.
            default_model: The model, or the file of its answers, that Python code has chosen; empty if it has not.
        """
        self._rulebook = rulebook
        self._default_model = default_model

    @property
    def labels(self) -> Mapping[ConfiguredMock, str]:
        """The kinds that are configured, and what each of them uses: models, files of answers or recordings."""
        found: dict[ConfiguredMock, list[str]] = {}
        for kind, _, mock in self._iter_mocks():
            found.setdefault(kind, []).append(self._describe(mock))
        if "llm" not in found and self._default_model:
            found["llm"] = [self._default_model]
        return {kind: ", ".join(dict.fromkeys(labels)) for kind, labels in found.items()}

    def find(self, kind: ConfiguredMock, tool: str) -> Mock | None:
        """Return the mock of a kind for a tool: that of the first rule for the tool, else of the first rule at all."""
        mocks = [(pattern, mock) for found, pattern, mock in self._iter_mocks() if found == kind]
        own = (mock for pattern, mock in mocks if pattern.matches(tool))
        chosen = next(own, None) or next((mock for _, mock in mocks), None)
        if chosen is None and kind == "llm" and self._default_model:
            return Mock(mock="llm")
        return chosen

    def explain_missing(self, kind: ConfiguredMock, tool: str) -> str:
        """Return why no mock of a kind can play a tool, and what to do; empty if there is one."""
        if self.find(kind, tool) is not None:
            return ""
        needed, example = _CONFIGURED_PARTS[kind]
        return (
            f"mock {kind} cannot play {tool}: the rules of this session name no {needed}. "
            f"Add a rule with `do: {example}` to them, and start another session."
        )

    def _iter_mocks(self) -> Iterator[tuple[ConfiguredMock, GlobSet, Mock]]:
        for rule in self._rulebook.rules:
            for action in rule.actions:
                if isinstance(action, Mock) and (action.mock == "llm" or action.replayed is not None):
                    kind: ConfiguredMock = "llm" if action.mock == "llm" else "replay"
                    yield kind, GlobSet(rule.rule.match.tool), action

    def _describe(self, mock: Mock) -> str:
        if mock.source is not None:
            return PurePath(mock.source).name
        return mock.model or self._default_model or DEFAULT_MODEL

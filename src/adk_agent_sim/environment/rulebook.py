"""Rules made ready: found by a tool's name in one step, however many there are."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

from adk_agent_sim.environment.actions.action import Action
from adk_agent_sim.environment.actions.raised import BUILT_IN, Exceptions
from adk_agent_sim.environment.conditions import Test, tests_of
from adk_agent_sim.environment.finding import told
from adk_agent_sim.environment.lint import lint
from adk_agent_sim.environment.match import glob, is_glob
from adk_agent_sim.environment.rules import Rule, Rules
from adk_agent_sim.errors import RulesRefused
from adk_agent_sim.timeline.clock import RealWaiting, VirtualWaiting, Waiting

_REMEMBERED = 10_000
"""How many names of tools are remembered; a model can make up any number."""


class Compiled:
    """A rule made ready."""

    __slots__ = ("actions", "holds", "index", "name", "rule", "seed", "tests")

    def __init__(self, rule: Rule, *, name: str, index: int, seed: int, label: str) -> None:
        self.rule = rule
        self.name = name
        self.index = index
        self.seed = seed if rule.match.seed is None else rule.match.seed
        self.tests: Sequence[Test] = tests_of(rule.match, index=index, rule=name, seed=self.seed, label=label)
        self.holds = tuple(test.holds for test in self.tests)
        self.actions: Sequence[Action] = tuple(rule.do)

    @property
    def acts_inside(self) -> bool:
        """Whether it must act inside the call: raise, change a real result, or delay one."""
        return any(action.inside for action in self.actions) or not any(action.answers for action in self.actions)


Candidates: TypeAlias = Sequence[Compiled]


class Rulebook:
    """The rules of an environment, shared by all its sessions."""

    def __init__(
        self,
        rules: Rules,
        *,
        label: str = "",
        exceptions: Exceptions | None = None,
        waiting: Waiting | None = None,
        source: str = "Python",
        checked: bool = False,
    ) -> None:
        """Make rules ready; RulesRefused says what is wrong with them.

        Args:
            rules: The rules.
            label: Tells runs apart whose chances should differ, as a scenario and the number of a run.
            exceptions: The exceptions that `raise` may name, beside the built-in ones.
            waiting: How time passes; by default as the rules say.
            source: Where the rules come from, for messages.
            checked: They need not be checked (again).
        """
        self.exceptions: Exceptions = {**BUILT_IN, **(exceptions or {})}
        findings = () if checked else lint(rules, exceptions=self.exceptions)
        errors = [finding for finding in findings if finding.severity == "error"]
        if errors:
            raise RulesRefused(source, told(errors))
        self.spec = rules
        self.label = label
        self.waiting: Waiting = waiting or (VirtualWaiting() if rules.time == "virtual" else RealWaiting())
        self.rules: Sequence[Compiled] = tuple(
            Compiled(rule, name=name, index=index, seed=rules.seed, label=label)
            for index, (name, rule) in enumerate(zip(rules.named(), rules.rules, strict=True))
        )
        self.refuses = rules.unanswered == "refuse"
        self._globs = [(glob(rule.rule.match.tool), rule) for rule in self.rules if _has_glob(rule)]
        self._known: dict[str, Candidates] = dict(self._by_name())

    def candidates(self, tool: str) -> Candidates:
        """The rules that name a tool, in their order."""
        found = self._known.get(tool)
        if found is None:
            found = tuple(rule for pattern, rule in self._globs if pattern.match(tool))
            if len(self._known) < _REMEMBERED:
                self._known[tool] = found
        return found

    def _by_name(self) -> Mapping[str, Candidates]:
        names: dict[str, list[Compiled]] = {}
        for rule in self.rules:
            for name in rule.rule.match.tool:
                if not is_glob(name):
                    names.setdefault(name, [])
        for rule in self.rules:
            literal = [name for name in rule.rule.match.tool if not is_glob(name)]
            pattern = glob(rule.rule.match.tool) if _has_glob(rule) else None
            for name in names if pattern else literal:
                if pattern is None or pattern.match(name):
                    names[name].append(rule)
        return {name: tuple(dict.fromkeys(rules)) for name, rules in names.items()}


def _has_glob(rule: Compiled) -> bool:
    return any(map(is_glob, rule.rule.match.tool))

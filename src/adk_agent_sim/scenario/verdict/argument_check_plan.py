"""Which checks apply to the arguments of one expected event: its tool's, its author's and its caller's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from adk_agent_sim.scenario.format.models import AnyEvent
from adk_agent_sim.scenario.format.strictness import get_strictness
from adk_agent_sim.scenario.verdict.checker_params import CheckerParam
from adk_agent_sim.scenario.verdict.checker_table import CHECKERS_BY_TOOL, SIGNED_TOOLS, SOFT

_CHECKERS_BY_STRICTNESS: Final = {"exact": "equal", "contains": "contains"}


@dataclass(frozen=True, kw_only=True, slots=True)
class ArgumentCheck:
    """A deterministic check of one argument."""

    argument: str

    checker: str

    texts: Sequence[str] = ()

    rule: str
    """What demands it, for people: the checker, `strictness: exact`, `parameter: contains_any`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ArgumentCheckPlan:
    """All checks of one expected event."""

    hard: tuple[ArgumentCheck, ...]

    soft: tuple[str, ...]
    """Arguments that are compared by meaning."""

    is_signed: bool
    """Whether the tool writes to other people in the user's name."""


def plan_argument_checks(
    tool: str,
    planned: AnyEvent,
    arguments: Mapping[str, Any],
    params: Sequence[CheckerParam],
    user_name: str,
) -> ArgumentCheckPlan:
    """Return the checks of an expected event.

    Args:
        tool: Its tool, by the class of its app.
        planned: The event in the scenario, whose arguments may specify their strictness.
        arguments: Its arguments in the oracle's run.
        params: Additional checks.
        user_name: The name that attendees may or may not contain.
    """
    stated = {each.name: get_strictness(each) for each in (planned.action.args or () if planned.action else ())}
    strict = {name: level for name, level in stated.items() if level in ("exact", "contains", "any")}
    # Without a row nothing is known about the tool, so every argument must be the same.
    row = CHECKERS_BY_TOOL.get(tool) or ({} if tool in CHECKERS_BY_TOOL else dict.fromkeys(arguments, "equal"))
    hard = [
        ArgumentCheck(
            argument=name,
            checker=checker,
            texts=(user_name,) if checker == "attendees" and user_name else (),
            rule=checker,
        )
        for name, checker in row.items()
        if checker != SOFT and name not in strict
    ]
    hard += [
        ArgumentCheck(argument=name, checker=_CHECKERS_BY_STRICTNESS[str(level)], rule=f"strictness: {level}")
        for name, level in strict.items()
        if level != "any"
    ]
    hard += [
        ArgumentCheck(argument=each.argument, checker=each.checker, texts=each.texts, rule=f"parameter: {each.checker}")
        for each in params
        if each.tool in (None, tool)
    ]
    soft = tuple(name for name, checker in row.items() if checker == SOFT and name not in strict)
    return ArgumentCheckPlan(hard=tuple(hard), soft=soft, is_signed=tool in SIGNED_TOOLS)

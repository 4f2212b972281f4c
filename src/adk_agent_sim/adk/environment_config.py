"""ADK's own config objects for environment simulation, read as rules.

The objects accept what makes no sense (a probability of 7, negative latency) and hide what was meant elsewhere; what
the object still shows is refused here.
"""

from __future__ import annotations

import logging
import math
import re
import secrets
import warnings
from collections import Counter
from collections.abc import Iterator

from google.adk.tools.environment_simulation.environment_simulation_config import (
    EnvironmentSimulationConfig,
    InjectionConfig,
    MockStrategy,
    ToolSimulationConfig,
)

from adk_agent_sim.environment.actions import AnyAction, Delay, Error, ErrorAnswer, Respond
from adk_agent_sim.environment.match import Condition, Match
from adk_agent_sim.environment.rules import Rule, Rules
from adk_agent_sim.environment.values import copied
from adk_agent_sim.errors import RulesRefused
from adk_agent_sim.timeline.jsonable import jsonable

_LONGEST_LATENCY = 120.0
_NAME = re.compile(r"[^\s*?]+")

_log = logging.getLogger(__name__)


def rules_of(config: EnvironmentSimulationConfig) -> Rules:
    """The rules that a config stands for; RulesRefused if it cannot be meant."""
    problems = list(_problems(config))
    if problems:
        raise RulesRefused("the EnvironmentSimulationConfig", problems)
    return Rules(rules=[rule for tool in config.tool_simulation_configs for rule in _rules(tool)])


def _problems(config: EnvironmentSimulationConfig) -> Iterator[str]:
    """What is wrong, also in objects that were changed after ADK checked them."""
    if not config.tool_simulation_configs:
        yield "tool_simulation_configs is empty: name at least one tool."
    counts = Counter(tool.tool_name for tool in config.tool_simulation_configs)
    for name, count in counts.items():
        if count > 1:
            yield f"tool_simulation_configs names {name!r} {count} times: put its injections into one entry."
    for tool in config.tool_simulation_configs:
        if not _NAME.fullmatch(tool.tool_name):
            yield f"tool_name is {tool.tool_name!r}: give the tool's registered name exactly."
        if not tool.injection_configs and tool.mock_strategy_type is MockStrategy.MOCK_STRATEGY_UNSPECIFIED:
            yield f"{tool.tool_name}: there is neither an injection nor a mock strategy."
        for number, injection in enumerate(tool.injection_configs):
            for problem in _injection_problems(injection):
                yield f"{tool.tool_name}, injection {number}: {problem}"


def _injection_problems(injection: InjectionConfig) -> Iterator[str]:
    if not 0 <= injection.injection_probability <= 1:
        yield f"injection_probability is {injection.injection_probability}: give a number from 0 to 1."
    latency = injection.injected_latency_seconds
    if math.isnan(latency) or not 0 <= latency <= _LONGEST_LATENCY:
        yield f"injected_latency_seconds is {latency}: give 0 to {_LONGEST_LATENCY:g} seconds."
    if (injection.injected_error is None) == (injection.injected_response is None):
        yield "set either injected_error or injected_response."


def _rules(tool: ToolSimulationConfig) -> Iterator[Rule]:
    for number, injection in enumerate(tool.injection_configs):
        yield _injection(tool.tool_name, number, injection)
    if tool.mock_strategy_type is MockStrategy.MOCK_STRATEGY_TRACING:
        warnings.warn(
            f"{tool.tool_name}: MOCK_STRATEGY_TRACING is deprecated; use MOCK_STRATEGY_TOOL_SPEC with `tracing`.",
            DeprecationWarning,
            stacklevel=2,
        )
    if tool.mock_strategy_type is not MockStrategy.MOCK_STRATEGY_UNSPECIFIED:
        yield _mock(tool.tool_name)


def _injection(tool: str, number: int, injection: InjectionConfig) -> Rule:
    if injection.match_args == {}:
        _log.warning("%s, injection %d: match_args is empty and matches every call.", tool, number)
    probability = injection.injection_probability
    args = {_pointer(name): Condition(equals=jsonable(value)) for name, value in (injection.match_args or {}).items()}
    seed = injection.random_seed if injection.random_seed is not None else secrets.randbits(63)
    match = Match(tool=[tool], probability=probability or 1.0, seed=seed)
    return Rule(
        name=f"{tool}, injection {number}",
        match=match.model_copy(update={"args": args}),
        do=list(_actions(injection)),
        enabled=probability > 0,
    )


def _pointer(name: str) -> str:
    """An argument's name is a name here, never a path."""
    return "/" + name.replace("~", "~0").replace("/", "~1") if "." in name or name.startswith("/") else name


def _actions(injection: InjectionConfig) -> Iterator[AnyAction]:
    if injection.injected_latency_seconds:
        yield Delay(delay=float(injection.injected_latency_seconds))
    if injection.injected_error is not None:
        error = injection.injected_error
        yield Error(error=ErrorAnswer(code=error.injected_http_error_code, message=error.error_message))
    else:
        yield Respond(respond=copied(injection.injected_response))


def _mock(tool: str) -> Rule:
    """A call that only a mock could answer: told as an error, never the real tool."""
    message = (
        f"The call of {tool!r} needs a mock, and mock strategies are not available in this release. "
        "Add an injection that answers it."
    )
    return Rule(
        name=f"{tool}, mock", match=Match(tool=[tool]), do=[Error(error=ErrorAnswer(code=501, message=message))]
    )

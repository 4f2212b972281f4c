"""Converts ADK's own config objects for environment simulation to rules.

ADK's objects accept invalid values (a probability of 7, a negative latency); they are rejected here.
"""

from __future__ import annotations

import math
import re
import warnings
from collections import Counter
from collections.abc import Iterator

from google.adk.tools.environment_simulation.environment_simulation_config import (
    EnvironmentSimulationConfig,
    InjectionConfig,
    MockStrategy,
    ToolSimulationConfig,
)

from adk_agent_sim.environment.actions import AnyAction, Delay, Error, ErrorResponse, Respond
from adk_agent_sim.environment.json_values import escape_name
from adk_agent_sim.environment.rule_match import ArgumentCondition, Match
from adk_agent_sim.environment.rules import Rule, Rules
from adk_agent_sim.environment.templates import escape_templates
from adk_agent_sim.errors import InvalidRules
from adk_agent_sim.text.escaped_logging import get_logger
from adk_agent_sim.timeline.json_conversion import to_json_value

_MAX_LATENCY = 120.0
_TOOL_NAME = re.compile(r"[^\s*?]+")

_log = get_logger(__name__)


def convert_config_to_rules(config: EnvironmentSimulationConfig) -> Rules:
    """Return the rules of a config; raise InvalidRules if it has invalid values."""
    problems = list(_find_problems(config))
    if problems:
        raise InvalidRules("the EnvironmentSimulationConfig", problems)
    # As in ADK, whose injected latency takes real time.
    return Rules(time="real", rules=[rule for tool in config.tool_simulation_configs for rule in _iter_rules(tool)])


def _find_problems(config: EnvironmentSimulationConfig) -> Iterator[str]:
    """Yield what is invalid. Objects may have been changed after ADK validated them, so everything is checked again."""
    if not config.tool_simulation_configs:
        yield "tool_simulation_configs is empty: add at least one tool."
    counts = Counter(tool.tool_name for tool in config.tool_simulation_configs)
    for name, count in counts.items():
        if count > 1:
            yield f"tool_simulation_configs names {name!r} {count} times: put its injections into one entry."
    for tool in config.tool_simulation_configs:
        if not _TOOL_NAME.fullmatch(tool.tool_name):
            yield f"tool_name is {tool.tool_name!r}: give the tool's registered name exactly."
        if not tool.injection_configs and tool.mock_strategy_type is MockStrategy.MOCK_STRATEGY_UNSPECIFIED:
            yield f"{tool.tool_name}: it has neither an injection nor a mock strategy."
        for number, injection in enumerate(tool.injection_configs):
            for problem in _find_injection_problems(injection):
                yield f"{tool.tool_name}, injection {number}: {problem}"


def _find_injection_problems(injection: InjectionConfig) -> Iterator[str]:
    if not 0 <= injection.injection_probability <= 1:
        yield f"injection_probability is {injection.injection_probability}: give a number from 0 to 1."
    latency = injection.injected_latency_seconds
    if math.isnan(latency) or not 0 <= latency <= _MAX_LATENCY:
        yield f"injected_latency_seconds is {latency}: give 0 to {_MAX_LATENCY:g} seconds."
    if (injection.injected_error is None) == (injection.injected_response is None):
        yield "set either injected_error or injected_response."


def _iter_rules(tool: ToolSimulationConfig) -> Iterator[Rule]:
    for number, injection in enumerate(tool.injection_configs):
        yield _convert_injection(tool.tool_name, number, injection)
    if tool.mock_strategy_type is MockStrategy.MOCK_STRATEGY_TRACING:
        warnings.warn(
            f"{tool.tool_name}: MOCK_STRATEGY_TRACING is deprecated; use MOCK_STRATEGY_TOOL_SPEC with `tracing`.",
            DeprecationWarning,
            stacklevel=2,
        )
    if tool.mock_strategy_type is not MockStrategy.MOCK_STRATEGY_UNSPECIFIED:
        yield _build_mock_rule(tool.tool_name)


def _convert_injection(tool: str, number: int, injection: InjectionConfig) -> Rule:
    if injection.match_args == {}:
        _log.warning("%s, injection %d: match_args is empty and matches every call.", tool, number)
    probability = injection.injection_probability
    args = {
        escape_name(name): ArgumentCondition(equals=to_json_value(value))
        for name, value in (injection.match_args or {}).items()
    }
    match = Match(tool=[tool], probability=probability or 1.0, seed=injection.random_seed)
    return Rule(
        name=f"{tool}, injection {number}",
        match=match.model_copy(update={"args": args}),
        do=list(_iter_actions(injection)),
        enabled=probability > 0,
    )


def _iter_actions(injection: InjectionConfig) -> Iterator[AnyAction]:
    if injection.injected_latency_seconds:
        yield Delay(delay=float(injection.injected_latency_seconds))
    if injection.injected_error is not None:
        error = injection.injected_error
        yield _build_error(error.injected_http_error_code, error.error_message)
    else:
        yield Respond(respond=escape_templates(injection.injected_response))


def _build_mock_rule(tool: str) -> Rule:
    """Return a rule for calls that only a mock could answer. It responds with an error; the real tool never runs."""
    message = (
        f"The call of {tool!r} needs a mock, and mock strategies are not available in this release. "
        "Add an injection that answers it."
    )
    return Rule(name=f"{tool}, mock", match=Match(tool=[tool]), do=[_build_error(501, message)])


def _build_error(code: int, message: str) -> Error:
    """Return an error whose message is as it is: ADK's texts have no references."""
    return Error(error=ErrorResponse(code=code, message=str(escape_templates(message))))

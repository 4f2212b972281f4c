"""Converts ADK's own config objects for environment simulation to rules.

ADK's objects accept invalid values (a probability of 7, a negative latency); they are rejected here.
"""

from __future__ import annotations

import math
import re
import warnings
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from google.adk.models import BaseLlm
from google.adk.tools.environment_simulation.environment_simulation_config import (
    EnvironmentSimulationConfig,
    InjectionConfig,
    MockStrategy,
    ToolSimulationConfig,
)

from adk_agent_sim.adk.environment.llm_mock_setup import LlmMockSetup
from adk_agent_sim.environment.actions import AnyAction, Delay, Error, ErrorResponse, Mock, Respond
from adk_agent_sim.environment.call_recorder import RecordedCall, build_rules
from adk_agent_sim.environment.json_values import escape_name
from adk_agent_sim.environment.rules import ArgumentCondition, Match, Rule, Rules
from adk_agent_sim.environment.templates import escape_templates
from adk_agent_sim.errors import InvalidRules
from adk_agent_sim.mocks.llm_state import AnsweredCall, find_traced_calls, list_traced_records
from adk_agent_sim.text.escaped_logging import get_logger
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.strict_json import InvalidJson, parse_json, parse_json_object

_MAX_LATENCY = 120.0
_MOCK_SEED = 0
_TOOL_NAME = re.compile(r"[^\s*?]+")

_log = get_logger(__name__)


def read_llm_setup(
    config: EnvironmentSimulationConfig, model: str | BaseLlm | None = None, answers: Path | None = None
) -> LlmMockSetup:
    """Return which model answers tools with a mock strategy; one without a model if none does.

    ADK's config always names a model, by default one that needs a key. So only a model that somebody has chosen is
    asked: in the config, by its settings, or beside it. Otherwise tools are mocked without a model.

    Args:
        config: The config.
        model: The model, if it is not that of the config.
        answers: The file of its recorded answers.
    """
    is_chosen = not {"simulation_model", "simulation_model_configuration"}.isdisjoint(config.model_fields_set)
    if model is None and answers is None and not is_chosen:
        return LlmMockSetup()
    return LlmMockSetup(
        model=model or config.simulation_model,
        answers=answers,
        config=config.simulation_model_configuration,
        environment_data=config.environment_data or "",
        tracing=config.tracing or "",
    )


def convert_config_to_rules(config: EnvironmentSimulationConfig, *, uses_model: bool = False) -> Rules:
    """Return the rules of a config; raise InvalidRules if it has invalid values.

    Args:
        config: The config.
        uses_model: Whether a model answers tools with a mock strategy.
    """
    problems = list(_find_problems(config))
    if problems:
        raise InvalidRules("the EnvironmentSimulationConfig", problems)
    if uses_model:  # which gets the data and the traces as they are
        return _build_rules(config, (), Mock(mock="llm"))
    traced = _read_tracing(config.tracing)
    mocked = {
        tool.tool_name
        for tool in config.tool_simulation_configs
        if tool.mock_strategy_type is not MockStrategy.MOCK_STRATEGY_UNSPECIFIED
    }
    data = _read_environment_data(config.environment_data)
    for call in traced:
        if call.tool in mocked:
            data = _add_traced_records(data, list_traced_records(call.response))
    # Without validation: braces in ADK's data are no variables.
    return _build_rules(config, traced, Mock(mock="stateful")).model_copy(update={"environment_data": data})


def _build_rules(config: EnvironmentSimulationConfig, traced: Sequence[AnsweredCall], mock: Mock) -> Rules:
    # As in ADK, whose injected latency takes real time.
    return Rules(
        time="real",
        rules=[rule for tool in config.tool_simulation_configs for rule in _iter_rules(tool, traced, mock)],
    )


def _read_environment_data(text: str | None) -> dict[str, Any]:
    """Return the records with which mocks begin; none if the data are not a JSON object."""
    if not text:
        return {}
    try:
        return parse_json_object(text)
    except InvalidJson:
        _log.warning("environment_data is not used: mocks read a JSON object with lists of records.")
        return {}


def _read_tracing(text: str | None) -> list[AnsweredCall]:
    """Return the calls of earlier traces; none if they are not JSON, or have no calls with responses."""
    if not text:
        return []
    try:
        calls = find_traced_calls(parse_json(text))
    except InvalidJson:
        calls = []
    if not calls:
        _log.warning("tracing is not used: mocks read JSON with the calls of tools and their responses.")
    return calls


def _add_traced_records(data: dict[str, Any], traced: Mapping[str, list[Any]]) -> dict[str, Any]:
    """Return the data with the records that a trace shows; a record of the data wins over one of the trace."""
    added = dict(data)
    for name, records in traced.items():
        known = added.get(name, [])
        if isinstance(known, list):
            added[name] = [*records, *cast("list[Any]", known)]
    return added


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


def _iter_rules(tool: ToolSimulationConfig, traced: Sequence[AnsweredCall], mock: Mock) -> Iterator[Rule]:
    for number, injection in enumerate(tool.injection_configs):
        yield _convert_injection(tool.tool_name, number, injection)
    if tool.mock_strategy_type is MockStrategy.MOCK_STRATEGY_TRACING:
        warnings.warn(
            f"{tool.tool_name}: MOCK_STRATEGY_TRACING is deprecated; use MOCK_STRATEGY_TOOL_SPEC with `tracing`.",
            DeprecationWarning,
            stacklevel=2,
        )
    if tool.mock_strategy_type is not MockStrategy.MOCK_STRATEGY_UNSPECIFIED:
        # The first rule that matches answers, so what a trace contains comes before what a mock makes up.
        yield from _iter_traced_rules(tool.tool_name, traced)
        yield _build_mock_rule(tool.tool_name, mock)


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


def _iter_traced_rules(tool: str, traced: Sequence[AnsweredCall]) -> Iterator[Rule]:
    """Yield rules that give the responses of the traces to calls with the same arguments."""
    calls = [
        RecordedCall(tool=tool, args=call.args, do={"respond": escape_templates(call.response)})
        for call in traced
        if call.tool == tool
    ]
    for number, rule in enumerate(build_rules(calls, repeats=True)["rules"]):
        yield Rule.model_validate({"name": f"{tool}, trace {number}", **rule})


def _build_mock_rule(tool: str, mock: Mock) -> Rule:
    """Return the rule for calls that no injection answers. It has a seed, because ADK's config has none for mocks."""
    return Rule(name=f"{tool}, mock", match=Match(tool=[tool], seed=_MOCK_SEED), do=[mock])


def _build_error(code: int, message: str) -> Error:
    """Return an error whose message is as it is: ADK's texts have no references."""
    return Error(error=ErrorResponse(code=code, message=str(escape_templates(message))))

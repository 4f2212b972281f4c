"""Simulated tool responses: rules, actions and reports, independent of ADK.

The names for rules in Python are resolved on first use, so importing a module of this package costs that module only.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from adk_agent_sim.environment.actions.delay import Delay, Distribution, LogNormal
    from adk_agent_sim.environment.actions.drop import Drop
    from adk_agent_sim.environment.actions.error_response import Error, ErrorResponse
    from adk_agent_sim.environment.actions.mock_response import Mock
    from adk_agent_sim.environment.actions.model_faults import (
        ApiError,
        ApiStatus,
        CutText,
        Empty,
        MalformedCall,
        MaxTokens,
        UnknownToolCall,
        WrongArguments,
    )
    from adk_agent_sim.environment.actions.mutate import Mutate
    from adk_agent_sim.environment.actions.pass_through import Pass
    from adk_agent_sim.environment.actions.raise_exception import ExceptionToRaise, Raise
    from adk_agent_sim.environment.actions.respond import Respond
    from adk_agent_sim.environment.actions.stale import Stale
    from adk_agent_sim.environment.actions.timeout import Timeout
    from adk_agent_sim.environment.actions.truncate import Truncate, TruncateLimits
    from adk_agent_sim.environment.actions.wrong_type import WrongType
    from adk_agent_sim.environment.environment_report import EnvironmentReport
    from adk_agent_sim.environment.json_patch import PatchOperation
    from adk_agent_sim.environment.rule_match import ArgumentCondition, CallNumber, EarlierCall, Match, TimeWindow
    from adk_agent_sim.environment.rules import Rule, Rules
    from adk_agent_sim.environment.rules_file import load_rules, parse_rules

_HOMES = {
    "ApiError": "actions.model_faults",
    "ApiStatus": "actions.model_faults",
    "ArgumentCondition": "rule_match",
    "CallNumber": "rule_match",
    "CutText": "actions.model_faults",
    "Delay": "actions.delay",
    "Distribution": "actions.delay",
    "Drop": "actions.drop",
    "EarlierCall": "rule_match",
    "Empty": "actions.model_faults",
    "EnvironmentReport": "environment_report",
    "Error": "actions.error_response",
    "ErrorResponse": "actions.error_response",
    "ExceptionToRaise": "actions.raise_exception",
    "LogNormal": "actions.delay",
    "MalformedCall": "actions.model_faults",
    "Match": "rule_match",
    "MaxTokens": "actions.model_faults",
    "Mock": "actions.mock_response",
    "Mutate": "actions.mutate",
    "Pass": "actions.pass_through",
    "PatchOperation": "json_patch",
    "Raise": "actions.raise_exception",
    "Respond": "actions.respond",
    "Rule": "rules",
    "Rules": "rules",
    "Stale": "actions.stale",
    "TimeWindow": "rule_match",
    "Timeout": "actions.timeout",
    "Truncate": "actions.truncate",
    "TruncateLimits": "actions.truncate",
    "UnknownToolCall": "actions.model_faults",
    "WrongArguments": "actions.model_faults",
    "WrongType": "actions.wrong_type",
    "load_rules": "rules_file",
    "parse_rules": "rules_file",
}

__all__ = [
    "ApiError",
    "ApiStatus",
    "ArgumentCondition",
    "CallNumber",
    "CutText",
    "Delay",
    "Distribution",
    "Drop",
    "EarlierCall",
    "Empty",
    "EnvironmentReport",
    "Error",
    "ErrorResponse",
    "ExceptionToRaise",
    "LogNormal",
    "MalformedCall",
    "Match",
    "MaxTokens",
    "Mock",
    "Mutate",
    "Pass",
    "PatchOperation",
    "Raise",
    "Respond",
    "Rule",
    "Rules",
    "Stale",
    "TimeWindow",
    "Timeout",
    "Truncate",
    "TruncateLimits",
    "UnknownToolCall",
    "WrongArguments",
    "WrongType",
    "load_rules",
    "parse_rules",
]


def __getattr__(name: str) -> Any:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{home}"), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])

"""Records the calls of real tools, and writes rules that give their results again, without secrets."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any

from adk_agent_sim.environment.call_watcher import RunTool, build_error_response, build_tool_response
from adk_agent_sim.environment.incoming_call import IncomingCall
from adk_agent_sim.environment.rules_from_trace import (
    RecordedCall,
    build_error_action,
    build_response_action,
    build_rules,
)
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.redaction.redactor import Redactor


@dataclass(kw_only=True, slots=True)
class _Observation:
    tool: str
    args: Mapping[str, Json]
    response: Json = None
    error_type: str = ""


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordedRules:
    """What was recorded."""

    rules: Mapping[str, Any]
    """A rules file as JSON."""

    call_count: int

    redacted_count: int
    """How many of the calls had secrets in their arguments or results."""


class CallRecorder:
    """A watcher that leaves the calls to the tools, and remembers them in the order in which they were made."""

    def __init__(self) -> None:
        self._observations: list[_Observation] = []

    async def watch(
        self, call: IncomingCall, answer: Callable[[RunTool], Awaitable[object]], run_tool: RunTool
    ) -> object:
        """Return the result of the call, and remember it."""
        if call.caller.scope:
            return await answer(run_tool)  # made inside of a call, whose rule answers without it
        observation = _Observation(tool=call.tool, args=to_json_value(dict(call.args)))
        # Before the tool runs, so that parallel calls stay in the order in which they were made.
        self._observations.append(observation)
        try:
            result = await answer(run_tool)
        except Exception as error:
            observation.error_type, observation.response = type(error).__name__, build_error_response(error)
            raise
        observation.response = build_tool_response(result)
        return result

    def build_rules(self, redactor: Redactor) -> RecordedRules:
        """Return rules that answer the calls so far, and refuse all others."""
        # A call that was cancelled has no response.
        answered = [each for each in self._observations if each.response is not None]
        # All secrets are learned first: what a later result reveals may occur in earlier arguments.
        for each in answered:
            redactor.learn_secrets(dict(each.args))
            redactor.learn_secrets(each.response)
        calls: list[RecordedCall] = []
        redacted_count = 0
        for each in answered:
            args: dict[str, Json] = redactor.redact_value(dict(each.args))
            response = redactor.redact_value(each.response)
            redacted_count += (args, response) != (dict(each.args), each.response)
            do = (
                build_error_action(each.error_type, response["error"]["message"], response)
                if each.error_type
                else build_response_action(response)
            )
            hidden = frozenset(name for name, value in args.items() if value != each.args.get(name))
            calls.append(RecordedCall(tool=each.tool, args=args, do=do, hidden_args=hidden))
        return RecordedRules(
            rules=build_rules(calls) if calls else {}, call_count=len(calls), redacted_count=redacted_count
        )

"""Records the calls of real tools, and writes rules that give the results of a recording or a session again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from adk_agent_sim.environment.actions.raise_exception import BUILT_IN_EXCEPTIONS
from adk_agent_sim.environment.incoming_call import IncomingCall, RunTool, build_error_response, build_tool_response
from adk_agent_sim.environment.json_values import escape_name
from adk_agent_sim.environment.templates import escape_templates
from adk_agent_sim.timeline.canonical_json import Json, encode_json, normalize_value
from adk_agent_sim.timeline.events import Event, ToolStarted
from adk_agent_sim.timeline.framework_calls import CONTROL_TOOLS
from adk_agent_sim.timeline.history import ToolCall, ToolError, ToolOutput, build_history
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.json_equality import is_same_value
from adk_agent_sim.timeline.redaction.redactor import Redactor
from adk_agent_sim.timeline.undone_events import remove_undone_events


@dataclass(frozen=True, kw_only=True)
class RecordedCall:
    """A call of a trace and its result."""

    tool: str
    args: Mapping[str, Json]
    do: Mapping[str, Json]
    """The action that gives the same result."""

    hidden_args: frozenset[str] = frozenset()
    """The arguments whose values were removed, because they are secret; any value matches."""


def extract_recorded_calls(events: Iterable[Event]) -> list[RecordedCall]:
    """Return the answered calls of a session, in order, as rules see them: with the arguments that the tool got."""
    events = list(events)
    entries = build_history(events)
    started = _find_started_arguments(events)
    results = {entry.call_id: entry for entry in entries if isinstance(entry, ToolOutput | ToolError)}
    return [
        RecordedCall(
            tool=entry.tool_name,
            args=started.get((entry.tool_name, entry.call_id), entry.arguments),
            do=_build_action(results[entry.call_id]),
        )
        for entry in entries
        if isinstance(entry, ToolCall) and entry.call_id in results and entry.tool_name not in CONTROL_TOOLS
    ]


def _find_started_arguments(events: Iterable[Event]) -> dict[tuple[str, str], Mapping[str, Json]]:
    """Return what tools were called with, which callbacks may have changed, by tool and call id; timelines have it."""
    started = [event.payload for event in remove_undone_events(list(events)) if isinstance(event.payload, ToolStarted)]
    # Models of different agents may use the same call ids, and then it is not known which arguments belong to which.
    counts = Counter(each.call_id for each in started)
    return {(each.tool_name, each.call_id): each.arguments for each in started if counts[each.call_id] == 1}


def build_rules(trace_calls: Sequence[RecordedCall], *, repeats: bool = False) -> dict[str, Any]:
    """Return a rules file as JSON. Equal calls with different results get their results in the recorded order.

    Args:
        trace_calls: The calls.
        repeats: Whether a call may be made more often than in the trace, if its result is always the same.
    """
    groups: dict[tuple[str, bytes], list[RecordedCall]] = {}
    for call in trace_calls:
        groups.setdefault((call.tool, encode_json(normalize_value(dict(call.args)))), []).append(call)
    rules = [rule for calls in groups.values() for rule in _build_call_rules(calls, repeats=repeats)]
    return {"version": 1, "unanswered": "refuse", "rules": rules}


def _build_call_rules(calls: Sequence[RecordedCall], *, repeats: bool) -> list[dict[str, Any]]:
    first = calls[0]
    match: dict[str, Any] = {"tool": first.tool}
    if first.args:
        match["args"] = {
            escape_name(name): {"present": True} if name in first.hidden_args else _escape_literal(value)
            for name, value in first.args.items()
        }
    match["exactly"] = True
    if all(is_same_value(dict(call.do), dict(first.do)) for call in calls):
        limit = {} if repeats else {"call": {"first": len(calls)}}
        return [{"match": {**match, **limit}, "do": dict(first.do)}]
    return [
        {"match": {**match, "call": {"nth": number}}, "do": dict(call.do)} for number, call in enumerate(calls, start=1)
    ]


def _build_action(result: ToolOutput | ToolError) -> dict[str, Json]:
    if isinstance(result, ToolOutput):
        return build_response_action(result.response if result.response is not None else result.result)
    return build_error_action(result.error_type, result.error_message, result.response)


def build_response_action(response: Json) -> dict[str, Json]:
    """Return the action that gives a response as it is."""
    return {"respond": escape_templates(response)}


def build_error_action(error_type: str, message: str, response: Json = None) -> dict[str, Json]:
    """Return the action that fails as a tool did.

    Args:
        error_type: The name of the exception.
        message: Its message.
        response: What the model got for it, if that is known; used if the exception cannot be raised again.
    """
    if error_type in BUILT_IN_EXCEPTIONS:
        return {"raise": {"type": error_type, "message": escape_templates(message)}}
    return build_response_action(response or {"error": {"type": error_type, "message": message}})


def _escape_literal(value: Json) -> Json:
    """Return what stands for a recorded value: braces are no references, and an object is no conditions."""
    escaped = escape_templates(value)
    return {"equals": escaped} if isinstance(value, Mapping) else escaped


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

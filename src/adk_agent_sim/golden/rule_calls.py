"""Finds the tool calls that environment rules handled in the timeline of a session, for reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.content_parts import as_mapping, as_text, get_parts, unwrap_result
from adk_agent_sim.timeline.events import (
    AgentEvent,
    EnvironmentDecided,
    Event,
    ToolFailed,
    ToolFinished,
    ToolStarted,
)
from adk_agent_sim.timeline.framework_calls import MODEL_SEAT
from adk_agent_sim.timeline.undone_events import remove_undone_events


@dataclass(kw_only=True)
class RuleCall:
    """A tool call that a rule handled."""

    call_id: str

    tool_name: str

    rule: str
    """The name of the rule."""

    actions: Sequence[str]
    """What the rule did, in words."""

    decided: Event
    """The event of the decision."""

    arguments: Mapping[str, Json]

    result: Json = None
    """What the model got; None if the call failed, or has not ended."""

    error: str = ""
    """The exception that the call ended with."""

    ran_tool: bool = False
    """Whether the tool's own code ran, such as after a delay."""

    @property
    def has_failed(self) -> bool:
        """Whether the model got an error."""
        fields = as_mapping(self.result)
        return bool(self.error or fields.get("error") or fields.get("error_code"))

    @property
    def mark(self) -> str:
        """What a report says about the rule."""
        verb = "changed" if self.ran_tool else "answered"
        return f"{verb} by the rule {self.rule}: {', '.join(self.actions)}"


def find_rule_calls(log: Sequence[Event]) -> list[RuleCall]:
    """Return the calls that rules handled, without those that were undone, in their order."""
    arguments: dict[str, Mapping[str, Json]] = {}
    calls: dict[str, RuleCall] = {}
    for event in remove_undone_events(log):
        match event.payload:
            case EnvironmentDecided() as decided if decided.rule and decided.tool_name not in ("", MODEL_SEAT):
                calls[decided.call_id] = RuleCall(
                    call_id=decided.call_id,
                    tool_name=decided.tool_name,
                    rule=decided.rule,
                    actions=[str(action) for action in decided.actions or ()],
                    decided=event,
                    arguments=arguments.get(decided.call_id, {}),
                )
            case ToolStarted() as started if call := calls.get(started.call_id):
                call.arguments = started.arguments
            case ToolFinished() as finished if call := calls.get(finished.call_id):
                call.result, call.ran_tool = finished.result, finished.ran_tool
            case ToolFailed() as failed if call := calls.get(failed.call_id):
                call.error, call.ran_tool = f"{failed.error_type}: {failed.error_message}", failed.ran_tool
            case AgentEvent() as emitted:
                _read_parts(emitted, arguments, calls)
            case _:
                pass
    return list(calls.values())


def count_rule_answers(log: Sequence[Event]) -> int:
    """Return how many calls were answered by rules, without the tool's own code."""
    return sum(not call.ran_tool for call in find_rule_calls(log))


def _read_parts(emitted: AgentEvent, arguments: dict[str, Mapping[str, Json]], calls: Mapping[str, RuleCall]) -> None:
    """Read calls and results; they are only here if the model made up a tool's name, because no code is started."""
    for part in get_parts(as_mapping(emitted.event).get("content")):
        asked, answered = as_mapping(part.get("function_call")), as_mapping(part.get("function_response"))
        if asked:
            arguments[as_text(asked.get("id"))] = as_mapping(asked.get("args"))
        call = calls.get(as_text(answered.get("id")))
        if call is not None and call.result is None and not call.error:
            call.result = unwrap_result(answered.get("response"))

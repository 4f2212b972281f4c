"""Converts a scenario to an eval case: its expected actions run in its world, and the case contains what they did.

So placeholders have become values, and calls have results. A user message begins an invocation; the agent's last
message before the next one is the final response. If the agent goes on after a message to the user without a new user
message, that stays in the same invocation, and the message is one of its calls.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from google.adk.evaluation.eval_case import EvalCase, IntermediateData, Invocation
from google.genai import types

from adk_agent_sim.adk.evals.case_to_scenario import MESSAGE_TO_USER
from adk_agent_sim.errors import NotConvertible
from adk_agent_sim.golden.golden_trace_builder import build_invocation_id
from adk_agent_sim.scenario import ScenarioImportedFromJson, World
from adk_agent_sim.scenario.format.models import AnyEvent, EventGraph, ExportedActionArg, get_strictness
from adk_agent_sim.scenario.world.event_log import CompletedEvent

_MESSAGE_TO_AGENT = "AgentUserInterface__send_message_to_agent"


def convert_scenario_to_case(
    scenario: ScenarioImportedFromJson, *, fs_content: str | Path | None = None
) -> tuple[EvalCase, tuple[str, ...]]:
    """Return the case in which the agent does what the scenario expects.

    Args:
        scenario: The scenario.
        fs_content: The contents of its files.

    Returns:
        The case, and notes for whoever evaluates with it: what an EvalSet cannot represent.

    Raises:
        NotConvertible: The expected actions fail in the scenario's own world, or come before any user message.
    """
    result = World(scenario, fs_content=fs_content).run_oracle()
    for fault in (*result.failed, *result.missing):
        raise _build_conversion_error(scenario, f"{fault.call} ({fault.event_id}) fails in its own world: {fault.why}")
    names = {each.event_id: frozenset(arg.name for arg in _get_action_args(each)) for each in scenario.events}
    # Events at the same moment keep the order of the scenario's graph.
    positions = {name: index for index, name in enumerate(EventGraph(scenario.trace).order)}
    events = sorted(result.completed, key=lambda each: (each.time, positions.get(each.event_id, len(positions))))
    events = [_keep_given_arguments(each, names.get(each.event_id, frozenset())) for each in events]
    turns = _group_turns(scenario, events)
    case = EvalCase(
        eval_id=scenario.scenario_id,
        conversation=[turn.to_invocation(scenario, index) for index, turn in enumerate(turns)],
        creation_timestamp=float(scenario.start_time or 0),
    )
    return case, tuple(_iter_notes(scenario, events, turns))


@dataclass(kw_only=True)
class _ScenarioTurn:
    start_time: float
    user_messages: list[str] = field(default_factory=list[str])
    agent_events: list[CompletedEvent] = field(default_factory=list[CompletedEvent])

    @property
    def answer(self) -> CompletedEvent | None:
        return (
            self.agent_events[-1]
            if self.agent_events and _format_tool_name(self.agent_events[-1]) == MESSAGE_TO_USER
            else None
        )

    def to_invocation(self, scenario: ScenarioImportedFromJson, index: int) -> Invocation:
        answer = self.answer
        calls = self.agent_events if answer is None else self.agent_events[:-1]
        return Invocation(
            invocation_id=build_invocation_id(scenario.scenario_id, index),
            user_content=_build_content("user", "\n\n".join(self.user_messages)),
            final_response=None
            if answer is None
            else _build_content("model", str(answer.arguments.get("content", ""))),
            intermediate_data=IntermediateData(
                tool_uses=[
                    types.FunctionCall(id=each.event_id, name=_format_tool_name(each), args=dict(each.arguments))
                    for each in calls
                ],
                tool_responses=[
                    types.FunctionResponse(
                        id=each.event_id, name=_format_tool_name(each), response={"result": each.value}
                    )
                    for each in calls
                ],
            ),
            creation_timestamp=self.start_time,
        )


def _group_turns(scenario: ScenarioImportedFromJson, events: Sequence[CompletedEvent]) -> list[_ScenarioTurn]:
    turns: list[_ScenarioTurn] = []
    for each in events:
        if _format_tool_name(each) == _MESSAGE_TO_AGENT:
            # An invocation has one user message, so one that comes before the agent has answered is joined to it.
            if not turns or turns[-1].answer:
                turns.append(_ScenarioTurn(start_time=each.time))
            turns[-1].user_messages.append(str(each.arguments.get("content", "")))
        elif each.kind == "AGENT":
            if not turns:
                raise _build_conversion_error(
                    scenario, f"{_format_tool_name(each)} ({each.event_id}) is expected before the first user message"
                )
            turns[-1].agent_events.append(each)
    if not turns:
        raise _build_conversion_error(scenario, "it has no user message")
    return turns


def _iter_notes(
    scenario: ScenarioImportedFromJson, events: Sequence[CompletedEvent], turns: Sequence[_ScenarioTurn]
) -> Iterator[str]:
    others = [each for each in events if each.kind in ("ENV", "USER") and _format_tool_name(each) != _MESSAGE_TO_AGENT]
    for each in others:
        yield f"{_format_tool_name(each)} ({each.event_id}) was omitted: an EvalSet contains only messages and calls"
    for number, turn in enumerate(turns, start=1):
        if len(turn.user_messages) > 1:
            yield (
                f"invocation {number}: {len(turn.user_messages)} user messages were joined into one, "
                "because the agent does not answer in between"
            )
        if turn.answer is None:
            yield f"invocation {number} has no final response: the scenario expects no message to the user there"
    if any(get_strictness(arg) for event in scenario.events for arg in _get_action_args(event)):
        yield "the strictness of arguments was omitted: `adk eval` compares all of them in the same way"


def _keep_given_arguments(event: CompletedEvent, names: frozenset[str]) -> CompletedEvent:
    """Return the event without the arguments that its call omitted, because `adk eval` compares every argument."""
    return replace(event, arguments={name: value for name, value in event.arguments.items() if name in names})


def _get_action_args(event: AnyEvent) -> Sequence[ExportedActionArg]:
    return (event.action.args if event.action else None) or ()


def _format_tool_name(event: CompletedEvent) -> str:
    return f"{event.app}__{event.function}"


def _build_content(role: str, text: str) -> types.Content:
    return types.Content(role=role, parts=[types.Part(text=text)])


def _build_conversion_error(scenario: ScenarioImportedFromJson, reason: str) -> NotConvertible:
    return NotConvertible(f"Scenario {scenario.scenario_id!r:.80}", "an EvalSet's case", reason.removesuffix("."))

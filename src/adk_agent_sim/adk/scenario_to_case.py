"""A scenario as an EvalSet's case: its expected actions are done in its world, and what was done is what is expected.

So placeholders have become values, and calls have results. A message of the user begins an invocation, the agent's
last message before the next one is its final response. What comes after a message to the user without a new one of the
user's stays in the same invocation, the message among its calls.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from google.adk.evaluation.eval_case import EvalCase, IntermediateData, Invocation
from google.genai import types

from adk_agent_sim.adk.case_to_scenario import MESSAGE_TO_USER
from adk_agent_sim.errors import NotConvertible
from adk_agent_sim.golden.golden_trace_builder import build_invocation_id
from adk_agent_sim.scenario import ScenarioImportedFromJson, World
from adk_agent_sim.scenario.format.graph import EventGraph
from adk_agent_sim.scenario.format.models import AnyEvent, ExportedActionArg
from adk_agent_sim.scenario.format.strictness import get_strictness
from adk_agent_sim.scenario.world.event_log import CompletedEvent

_MESSAGE_TO_AGENT = "AgentUserInterface__send_message_to_agent"


def convert_scenario_to_case(
    scenario: ScenarioImportedFromJson, *, fs_content: str | Path | None = None, seed: int | None = None
) -> tuple[EvalCase, tuple[str, ...]]:
    """The case in which the agent does what the scenario expects.

    Args:
        scenario: The scenario.
        fs_content: The contents of its files.
        seed: What ids and chance are derived from; the scenario's own if left out.

    Returns:
        The case, and what whoever evaluates with it should know: what an EvalSet has no place for.

    Raises:
        NotConvertible: The expected actions fail in the scenario's own world, or no user message begins them.
    """
    result = World(scenario, fs_content=fs_content, seed=seed).run_oracle()
    for fault in (*result.failed, *result.missing):
        raise _build_conversion_error(
            scenario, f"{fault.call} ({fault.event_id}) does not work in its own world: {fault.why}"
        )
    names = {each.event_id: frozenset(arg.name for arg in _get_action_args(each)) for each in scenario.events}
    places = {name: place for place, name in enumerate(EventGraph(scenario.trace).order)}
    happened = sorted(result.completed, key=lambda each: (each.time, places.get(each.event_id, len(places))))
    happened = [_keep_stated_arguments(each, names.get(each.event_id, frozenset())) for each in happened]
    turns = _group_turns(scenario, happened)
    case = EvalCase(
        eval_id=scenario.scenario_id,
        conversation=[turn.to_invocation(scenario, place) for place, turn in enumerate(turns)],
        creation_timestamp=float(scenario.start_time or 0),
    )
    return case, tuple(_iter_notes(scenario, happened, turns))


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


def _group_turns(scenario: ScenarioImportedFromJson, happened: Sequence[CompletedEvent]) -> list[_ScenarioTurn]:
    turns: list[_ScenarioTurn] = []
    for each in happened:
        if _format_tool_name(each) == _MESSAGE_TO_AGENT:
            if not turns or turns[-1].answer:
                turns.append(_ScenarioTurn(start_time=each.time))
            turns[-1].user_messages.append(str(each.arguments.get("content", "")))
        elif each.kind == "AGENT":
            if not turns:
                raise _build_conversion_error(
                    scenario, f"{_format_tool_name(each)} ({each.event_id}) is expected before the user says anything"
                )
            turns[-1].agent_events.append(each)
    if not turns:
        raise _build_conversion_error(scenario, "the user says nothing in it")
    return turns


def _iter_notes(
    scenario: ScenarioImportedFromJson, happened: Sequence[CompletedEvent], turns: Sequence[_ScenarioTurn]
) -> Iterator[str]:
    others = [
        each for each in happened if each.kind in ("ENV", "USER") and _format_tool_name(each) != _MESSAGE_TO_AGENT
    ]
    for each in others:
        yield (f"{_format_tool_name(each)} ({each.event_id}) was left out: an EvalSet holds only messages and calls")
    for place, turn in enumerate(turns, start=1):
        if len(turn.user_messages) > 1:
            yield (
                f"invocation {place}: {len(turn.user_messages)} user messages were joined into one, "
                "because none of them was answered in between"
            )
        if turn.answer is None:
            yield f"invocation {place} has no final response: the scenario expects no message to the user there"
    if any(get_strictness(arg) for event in scenario.events for arg in _get_action_args(event)):
        yield "how strictly arguments are compared was left out: `adk eval` compares all of them in one way"


def _keep_stated_arguments(event: CompletedEvent, names: frozenset[str]) -> CompletedEvent:
    """The event without the arguments that its call left to their defaults: `adk eval` compares all that are there."""
    return replace(event, arguments={name: value for name, value in event.arguments.items() if name in names})


def _get_action_args(event: AnyEvent) -> Sequence[ExportedActionArg]:
    return (event.action.args if event.action else None) or ()


def _format_tool_name(event: CompletedEvent) -> str:
    return f"{event.app}__{event.function}"


def _build_content(role: str, text: str) -> types.Content:
    return types.Content(role=role, parts=[types.Part(text=text)])


def _build_conversion_error(scenario: ScenarioImportedFromJson, reason: str) -> NotConvertible:
    return NotConvertible(f"Scenario {scenario.scenario_id!r:.80}", "an EvalSet's case", reason.removesuffix("."))

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

from adk_agent_sim.adk.case_scenario import MESSAGE_TO_USER
from adk_agent_sim.errors import NotConvertible
from adk_agent_sim.golden.builder import invocation_id
from adk_agent_sim.scenario import ScenarioImportedFromJson, World
from adk_agent_sim.scenario.format.graph import EventGraph
from adk_agent_sim.scenario.format.models import AnyEvent, ExportedActionArg
from adk_agent_sim.scenario.format.strictness import stated
from adk_agent_sim.scenario.world.log import Happened

_MESSAGE_TO_AGENT = "AgentUserInterface__send_message_to_agent"


def case_of(
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
        raise _refused(scenario, f"{fault.call} ({fault.event_id}) does not work in its own world: {fault.why}")
    names = {each.event_id: frozenset(arg.name for arg in _args(each)) for each in scenario.events}
    places = {name: place for place, name in enumerate(EventGraph(scenario.trace).order)}
    happened = sorted(result.completed, key=lambda each: (each.time, places.get(each.event_id, len(places))))
    happened = [_as_stated(each, names.get(each.event_id, frozenset())) for each in happened]
    turns = _turns(scenario, happened)
    case = EvalCase(
        eval_id=scenario.scenario_id,
        conversation=[turn.invocation(scenario, place) for place, turn in enumerate(turns)],
        creation_timestamp=float(scenario.start_time or 0),
    )
    return case, tuple(_notes(scenario, happened, turns))


@dataclass(kw_only=True)
class _Turn:
    began: float
    asked: list[str] = field(default_factory=list[str])
    done: list[Happened] = field(default_factory=list[Happened])

    @property
    def answer(self) -> Happened | None:
        return self.done[-1] if self.done and _name(self.done[-1]) == MESSAGE_TO_USER else None

    def invocation(self, scenario: ScenarioImportedFromJson, place: int) -> Invocation:
        answer = self.answer
        calls = self.done if answer is None else self.done[:-1]
        return Invocation(
            invocation_id=invocation_id(scenario.scenario_id, place),
            user_content=_content("user", "\n\n".join(self.asked)),
            final_response=None if answer is None else _content("model", str(answer.arguments.get("content", ""))),
            intermediate_data=IntermediateData(
                tool_uses=[
                    types.FunctionCall(id=each.event_id, name=_name(each), args=dict(each.arguments)) for each in calls
                ],
                tool_responses=[
                    types.FunctionResponse(id=each.event_id, name=_name(each), response={"result": each.value})
                    for each in calls
                ],
            ),
            creation_timestamp=self.began,
        )


def _turns(scenario: ScenarioImportedFromJson, happened: Sequence[Happened]) -> list[_Turn]:
    turns: list[_Turn] = []
    for each in happened:
        if _name(each) == _MESSAGE_TO_AGENT:
            if not turns or turns[-1].answer:
                turns.append(_Turn(began=each.time))
            turns[-1].asked.append(str(each.arguments.get("content", "")))
        elif each.kind == "AGENT":
            if not turns:
                raise _refused(scenario, f"{_name(each)} ({each.event_id}) is expected before the user says anything")
            turns[-1].done.append(each)
    if not turns:
        raise _refused(scenario, "the user says nothing in it")
    return turns


def _notes(scenario: ScenarioImportedFromJson, happened: Sequence[Happened], turns: Sequence[_Turn]) -> Iterator[str]:
    others = [each for each in happened if each.kind in ("ENV", "USER") and _name(each) != _MESSAGE_TO_AGENT]
    for each in others:
        yield f"{_name(each)} ({each.event_id}) was left out: in an EvalSet nothing happens but what is said and called"
    for place, turn in enumerate(turns, start=1):
        if len(turn.asked) > 1:
            yield f"invocation {place}: {len(turn.asked)} messages of the user are one, as none was answered between"
        if turn.answer is None:
            yield f"invocation {place} has no final response: the scenario expects no message to the user there"
    if any(stated(arg) for event in scenario.events for arg in _args(event)):
        yield "how strictly arguments are compared was left out: `adk eval` compares all of them in one way"


def _as_stated(event: Happened, names: frozenset[str]) -> Happened:
    """The event without the arguments that its call left to their defaults: `adk eval` compares all that are there."""
    return replace(event, arguments={name: value for name, value in event.arguments.items() if name in names})


def _args(event: AnyEvent) -> Sequence[ExportedActionArg]:
    return (event.action.args if event.action else None) or ()


def _name(event: Happened) -> str:
    return f"{event.app}__{event.function}"


def _content(role: str, text: str) -> types.Content:
    return types.Content(role=role, parts=[types.Part(text=text)])


def _refused(scenario: ScenarioImportedFromJson, why: str) -> NotConvertible:
    return NotConvertible(f"Scenario {scenario.scenario_id!r:.80}", "an EvalSet's case", why.removesuffix("."))

"""The agents of tests/agents, one of each kind found in practice, and what a person decides and expects in each.

tests/agents/KIND/agent.py      an agent as ADK loads it
tests/agents/KIND/script.json   the user's messages, the decisions of each agent, and what they lead to
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Container, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any, TypeVar

import pytest
from google.adk.apps import App
from google.adk.evaluation.eval_case import EvalCase
from google.genai import types
from pydantic import BaseModel, ConfigDict, Field

from adk_agent_sim import Simulation
from adk_agent_sim.adk.loading.agent_loader import load_app
from adk_agent_sim.adk.steps.steps import Confirmation, Done, ModelTurn, Step
from adk_agent_sim.golden.golden_trace_builder import split_user_turns
from adk_agent_sim.timeline.events import ToolStarted, TurnAsked
from adk_agent_sim.timeline.history import FinalResponse, HistoryEntry, ToolCall, ToolError, ToolOutput

T = TypeVar("T")

AGENTS = Path(__file__).parent / "agents"

KINDS = tuple(sorted(path.parent.name for path in AGENTS.glob("*/script.json")))
"""The names of the agents' folders."""

NOWHERE = "127.0.0.1:1"
"""The address of a simulator server that is not there."""

EVAL_SET_FILE = "recording.evalset.json"

TIMELINE_FILE = "recording.jsonl"
"""The file of a recording that also has the decisions of inner agents and the user's consents."""

REFUSED_BY_ADK_TEST = {
    "concierge": "agent 'weather_analyst' is a tool, and the events do not contain its model's answers",
    "customer_service": "it started with a state (customer_id), but `adk test` starts with none",
}
"""The kinds that `adk test` cannot replay, and why."""

_PARALLEL_AGENTS = {"parallel_research": {"solar_researcher", "storage_researcher", "wind_researcher"}}
"""The agents of a kind that run side by side."""

_MAX_TEXT_LENGTH = 400


class _Strict(BaseModel):
    model_config = ConfigDict(extra="forbid")


class PlannedCall(_Strict):
    """A tool call."""

    call: str
    args: dict[str, Any] = Field(default_factory=dict)


class PlannedDecision(_Strict):
    """What an agent's model decides in one turn: a call, several calls, or a response of text or data."""

    call: str | None = None
    args: dict[str, Any] = Field(default_factory=dict)
    calls: list[PlannedCall] = Field(default_factory=list[PlannedCall])
    respond: Any = None

    async def make(self, turn: ModelTurn) -> Step:
        """Decide a turn."""
        if self.respond is not None:
            return await turn.respond(self.respond)
        calls = self.calls or [PlannedCall(call=self.call or "", args=self.args)]
        return await turn.calls([(each.call, each.args) for each in calls])


class LateAnswer(_Strict):
    """A message that answers the last call of a long-running tool."""

    answer: str = Field(description="The tool")
    response: dict[str, Any]


class ExpectedCall(_Strict):
    """A call in the trajectory, and what the model got for it."""

    agent: str
    call: str
    args: dict[str, Any]
    response: dict[str, Any] | None


class ExpectedTurn(_Strict):
    """What a user turn leads to."""

    calls: list[ExpectedCall]
    response: str


class ExpectedRun(_Strict):
    """What the whole conversation leads to."""

    asked: list[str] = Field(description="The agents whose models were asked, in order, those in tools included")
    ran: list[str] = Field(description="The tools whose code ran, in order, each as AGENT.TOOL")
    turns: list[ExpectedTurn]
    state: dict[str, Any]


class AgentScript(_Strict):
    """A conversation and its decisions."""

    state: dict[str, Any] = Field(default_factory=dict)
    conversation: list[str | LateAnswer]
    decisions: dict[str, list[PlannedDecision]] = Field(description="By agent, in order")
    consents: list[bool] = Field(default_factory=list[bool], description="Whether the user agrees, in order")
    expected: ExpectedRun


def read_agent_script(kind: str) -> AgentScript:
    """Read the script of a kind."""
    return AgentScript.model_validate_json((AGENTS / kind / "script.json").read_text(encoding="utf-8"))


def load_agent(kind: str) -> App:
    """Load an agent as ADK does; one that looks for a simulator server finds none, even if there is one here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("ADK_SIM_SERVER_URL", NOWHERE)
        return load_app(AGENTS / kind)


async def play_conversation(sim: Simulation, script: AgentScript) -> None:
    """Play a script to its end; every decision must be asked for, and no other."""
    decisions = {agent: deque(planned) for agent, planned in script.decisions.items()}
    consents = deque(script.consents)
    for message in script.conversation:
        step = await _answer_confirmations(await sim.send(_build_message(sim, message)), consents)
        while not isinstance(step, Done):
            assert isinstance(step, ModelTurn)
            assert decisions.get(step.agent_name), f"nothing is planned for the next turn of {step.agent_name}"
            step = await _answer_confirmations(await decisions[step.agent_name].popleft().make(step), consents)
    assert not consents
    assert not any(decisions.values()), f"these turns were not asked for: {decisions}"


async def record_conversation(kind: str, folder: Path) -> EvalCase:
    """Play the script of a kind, write its recording as an EvalSet and as a timeline, and return the case."""
    script = read_agent_script(kind)
    async with Simulation(load_agent(kind), state=script.state) as sim:
        await play_conversation(sim, script)
        case = sim.export(folder / "recording.evalset.json", eval_id_style="selectable")
    await sim.export_jsonl(folder / "recording.jsonl")
    return case


async def repeat_conversation(sim: Simulation, script: AgentScript) -> None:
    """Say what the user says in a script, to an agent whose models are played by somebody else."""
    consents = deque(script.consents)
    for message in script.conversation:
        step = await _answer_confirmations(await sim.send(_build_message(sim, message)), consents)
        assert isinstance(step, Done)
    assert not consents


async def _answer_confirmations(step: Step, consents: deque[bool]) -> Step:
    while isinstance(step, Confirmation):
        step = await (step.approve() if consents.popleft() else step.deny())
    return step


def sort_parallel(kind: str, run: ExpectedRun) -> ExpectedRun:
    """Return what happened without the order in which agents that run side by side took turns.

    What each of them did stays in its order, and so does what others did before and after them.
    """
    parallel = _PARALLEL_AGENTS.get(kind, set())
    turns = [
        turn.model_copy(update={"calls": _sort_branches(turn.calls, lambda call: call.agent, parallel)})
        for turn in run.turns
    ]
    asked = _sort_branches(run.asked, str, parallel)
    ran = _sort_branches(run.ran, lambda tool: tool.partition(".")[0], parallel)
    return run.model_copy(update={"asked": asked, "ran": ran, "turns": turns})


def _sort_branches(items: Sequence[T], get_agent: Callable[[T], str], parallel: Container[str]) -> list[T]:
    """Return the items with each series of those of parallel agents sorted by agent."""
    arranged: list[T] = []
    for is_parallel, series in groupby(items, lambda item: get_agent(item) in parallel):
        found = list(series)
        arranged += sorted(found, key=get_agent) if is_parallel else found
    return arranged


async def summarize_run(sim: Simulation) -> ExpectedRun:
    """Return what happened in a simulation."""
    log = sim.log()
    return ExpectedRun(
        asked=[event.agent_name for event in log if isinstance(event.payload, TurnAsked)],
        ran=[
            f"{event.agent_name}.{event.payload.tool_name}" for event in log if isinstance(event.payload, ToolStarted)
        ],
        turns=[_summarize_turn(entries) for entries in split_user_turns(sim.history())],
        state=dict(await sim.state()),
    )


def _summarize_turn(entries: Sequence[HistoryEntry]) -> ExpectedTurn:
    results = {entry.call_id: entry for entry in entries if isinstance(entry, ToolOutput | ToolError)}
    calls = [
        ExpectedCall(
            agent=entry.agent_name,
            call=entry.tool_name,
            args=entry.arguments,
            response=cut_texts(results[entry.call_id].response) if entry.call_id in results else None,
        )
        for entry in entries
        if isinstance(entry, ToolCall)
    ]
    (answer,) = [entry.content for entry in entries if isinstance(entry, FinalResponse)]
    return ExpectedTurn(calls=calls, response=answer)


def cut_texts(response: dict[str, Any] | None) -> dict[str, Any] | None:
    """Return a response with the starts of texts that are so long that they must be ADK's and change with it."""
    if response is None:
        return None
    return {
        key: f"{value[:39]}…" if isinstance(value, str) and len(value) > _MAX_TEXT_LENGTH else value
        for key, value in response.items()
    }


def _build_message(sim: Simulation, message: str | LateAnswer) -> str | types.Content:
    if isinstance(message, str):
        return message
    calls = [call for event in sim.events() for call in event.get_function_calls() if call.name == message.answer]
    answer = types.FunctionResponse(id=calls[-1].id, name=message.answer, response=message.response)
    return types.Content(role="user", parts=[types.Part(function_response=answer)])

"""Plays the agents of tests/agents up to a point, forks the sessions at random turns, and compares the forks."""

from __future__ import annotations

import functools
import inspect
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from agent_scripts import AgentScript, ExpectedRun, LateAnswer, load_agent, read_agent_script, summarize_run
from fidelity_runs import normalize_events
from google.adk.agents import BaseAgent
from google.adk.apps import App
from google.adk.events import Event as AdkEvent
from google.adk.tools import AgentTool, FunctionTool
from google.genai import types
from polling import pause, wait_until

from adk_agent_sim import Simulation
from adk_agent_sim.adk.steps.steps import Confirmation, ModelTurn, Step
from adk_agent_sim.timeline.events import AgentEvent, Event, ToolStarted, TurnAsked, TurnDecided, UserSpoke
from adk_agent_sim.timeline.framework_calls import is_request_call
from adk_agent_sim.timeline.history import find_agent_joined, is_user_query
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.turn_prefix import cut_before_turn, has_unfinished_decision, list_turns
from adk_agent_sim.timeline.undone_events import remove_undone_events

OTHER_PROCESSES = {"mcp_shelf", "openapi_library"}
"""The kinds whose tools are in another process."""


@dataclass
class Counted:
    """An app whose functions count how often they run."""

    app: App
    runs: Counter[str] = field(default_factory=Counter[str])


def load_counted(kind: str) -> Counted:
    """Load the agent of a kind, with a counter in every function that is a tool."""
    counted = Counted(load_agent(kind))
    assert isinstance(counted.app.root_agent, BaseAgent) or counted.app.root_agent is not None
    for agent in _iter_agents(counted.app.root_agent):
        agent.tools = [_count_runs(tool, counted.runs) for tool in agent.tools]
    return counted


def _iter_agents(node: Any) -> Iterator[Any]:
    if hasattr(node, "tools"):
        yield node
    inner = [*getattr(node, "sub_agents", ())]
    inner += [tool.agent for tool in getattr(node, "tools", ()) if isinstance(tool, AgentTool)]
    if (graph := getattr(node, "graph", None)) is not None:
        inner += list(graph.nodes)
    for child in inner:
        yield from _iter_agents(child)


def _count_runs(tool: Any, runs: Counter[str]) -> Any:
    if isinstance(tool, FunctionTool):
        tool.func = _wrap(tool.func, runs)
        return tool
    return _wrap(tool, runs) if inspect.isfunction(tool) else tool


def _wrap(function: Callable[..., Any], runs: Counter[str]) -> Callable[..., Any]:
    if inspect.iscoroutinefunction(function):

        @functools.wraps(function)
        async def run_async(*args: Any, **kwargs: Any) -> Any:
            runs[function.__name__] += 1
            return await function(*args, **kwargs)

        return run_async

    @functools.wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        runs[function.__name__] += 1
        return function(*args, **kwargs)

    return run


async def continue_script(sim: Simulation, script: AgentScript, step: Step | None, max_decisions: int = 10_000) -> Step:
    """Play a script on from where a session is, for so many decisions at most; returns the step after them."""
    events = remove_undone_events(sim.log())
    decided = Counter(event.agent_name for event in events if isinstance(event.payload, TurnDecided))
    decisions = {name: deque(planned[decided[name] :]) for name, planned in script.decisions.items()}
    sent = [event.payload.content for event in events if isinstance(event.payload, UserSpoke)]
    consents = deque(script.consents[sum(_is_consent(content) for content in sent) :])
    messages = deque(script.conversation[sum(not _is_consent(content) for content in sent) :])
    made = 0
    while made < max_decisions:
        match step:
            case ModelTurn():
                step = await decisions[step.agent_name].popleft().make(step)
                made += 1
            case Confirmation():
                step = await (step.approve() if consents.popleft() else step.deny())
            case _:
                if not messages:
                    break
                step = await sim.send(_build_message(sim, messages.popleft()))
    assert step is not None
    return step


def count_decisions(sim: Simulation) -> int:
    """Return how many decisions of a session count."""
    return sum(isinstance(event.payload, TurnDecided) for event in remove_undone_events(sim.log()))


async def summarize_counting(sim: Simulation) -> ExpectedRun:
    """Return what happened in a simulation, without what was undone."""
    events = remove_undone_events(sim.log())
    summary = await summarize_run(sim)
    started = [
        (event.agent_name, event.payload.tool_name) for event in events if isinstance(event.payload, ToolStarted)
    ]
    return summary.model_copy(
        update={
            "asked": [event.agent_name for event in events if isinstance(event.payload, TurnAsked)],
            "ran": [f"{agent}.{tool}" for agent, tool in started],
        }
    )


def _is_consent(content: Any) -> bool:
    responses: list[dict[str, Any]] = [part.get("function_response") or {} for part in content.get("parts") or ()]
    return not is_user_query(content) and any(is_request_call(each.get("name") or "") for each in responses)


def _build_message(sim: Simulation, message: str | LateAnswer) -> str | types.Content:
    if isinstance(message, str):
        return message
    calls = [call for event in sim.events() for call in event.get_function_calls() if call.name == message.answer]
    answer = types.FunctionResponse(id=calls[-1].id, name=message.answer, response=message.response)
    return types.Content(role="user", parts=[types.Part(function_response=answer)])


@dataclass(frozen=True)
class Situation:
    """What a session consists of, without ids and times."""

    events: Sequence[Any]
    state: dict[str, Any]
    artifacts: dict[str, bytes]


async def describe(sim: Simulation, events: Sequence[AdkEvent] | None = None) -> Situation:
    """Return the situation of a session, or of a part of it that consists of these events."""
    listed = sim.events() if events is None else events
    state = dict(await sim.state())
    if events is not None:
        joined = find_agent_joined(sim.log())
        state = dict(joined.state) if joined else {}
        for event in events:
            state.update(to_json_value(event.actions.state_delta))
    versions = {name: version for event in listed for name, version in event.actions.artifact_delta.items()}
    artifacts = {name: await _read_artifact(sim, name, version) for name, version in versions.items()}
    shown = {key: value for key, value in state.items() if not key.startswith("temp:")}
    return Situation(normalize_events([event for event in listed if not event.partial]), shown, artifacts)


async def _read_artifact(sim: Simulation, name: str, version: int) -> bytes:
    part = await sim.artifact(name, version)
    assert part is not None
    return (part.text or "").encode() if part.inline_data is None else part.inline_data.data or b""


def select_events_before(sim: Simulation, turn_id: str) -> list[AdkEvent]:
    """Return the ADK events of a session that count before a turn."""
    counting = remove_undone_events(sim.log())
    prefix = {event.seq for event in cut_before_turn(counting, turn_id).events}
    # In a run that was replayed, the events on the timeline have other ids, but the same order.
    emitted = iter([event for event in sim.events() if event.author != "user" and not event.partial])
    spoken = iter([event for event in sim.events() if event.author == "user"])
    found: list[AdkEvent | None] = []
    for event in counting:
        if isinstance(event.payload, AgentEvent | UserSpoke):
            # ADK does not report the user's events of some workflows.
            own = next(emitted) if isinstance(event.payload, AgentEvent) else next(spoken, None)
            found += [own] if event.seq in prefix else []
    return [event for event in found if event is not None]


async def check_random_fork(sim: Simulation, runs: Counter[str], random: Random) -> Simulation:
    """Fork a session at a random turn, compare the fork with the original, and return it."""
    await _settle(sim)
    turns = list_turns(remove_undone_events(sim.log()))
    turn = random.choice(turns)
    number = turns.index(turn) + 1
    before, log = Counter(runs), list(sim.log())
    forked = await sim.fork(random.choice([number, turn.turn_id]))
    step = await forked.next()

    assert isinstance(step, ModelTurn)
    assert runs == before, "a tool ran again"
    assert list(sim.log()) == log, "the original session changed"
    await wait_until(lambda: turn.agent_name in {each.agent_name for each in forked.pending()})
    found, expected = await describe(forked), await describe(sim, select_events_before(sim, turn.turn_id))
    assert found.events == expected.events
    assert found.state == expected.state
    assert found.artifacts == expected.artifacts
    copied = cut_before_turn(remove_undone_events(log), turn.turn_id).events
    assert [_normalize(event) for event in forked.log()[: len(copied)]] == [_normalize(event) for event in copied]
    return forked


async def _settle(sim: Simulation) -> None:
    """Wait until all agents of a session that run side by side wait for a person."""
    await wait_until(lambda: not has_unfinished_decision(sim.log(), sim.log()[-1].seq))
    size = 0
    while size != len(sim.log()):
        size = len(sim.log())
        await pause()
        await pause()


def _normalize(event: Event) -> Any:
    return event.payload, event.turn_id, event.agent_name, event.player, event.agent_path


async def play_random_session(kind: str, random: Random) -> tuple[Simulation, Counted, AgentScript]:
    """Play a random part of the script of a kind; at least one turn is asked."""
    script, counted = read_agent_script(kind), load_counted(kind)
    total = sum(len(planned) for planned in script.decisions.values())
    sim = await Simulation(counted.app, state=script.state).start()
    await continue_script(sim, script, None, random.randint(1, total))
    return sim, counted, script

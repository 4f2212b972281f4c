"""Measures an agent in a scenario's world against ADK alone: the same model calls and tool calls on a plain Runner.

    python benchmarks/worlds.py                    all of it
    python benchmarks/worlds.py wait               some of it
    python benchmarks/worlds.py --quick            the smallest size, which measures nothing

The model is scripted, and all peers offer it the same tools: the world's own functions as plain tools of ADK on the
other sides. The third peer records the same on a timeline, without a world. Peers are run in turns; times are CPU
times, the best of some rounds. Figures are for `benchmarks/README.md`; nothing here passes or fails.
"""

from __future__ import annotations

import asyncio
import gc
import sys
import time
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.tools import BaseTool, ToolContext
from google.genai import types

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import arguments
from scripted_model import ScriptedModel, call_response, text_response
from world_builders import build_reply_event, build_world_event, build_world_scenario

from adk_agent_sim import Simulation
from adk_agent_sim.adk.compat import get_declaration
from adk_agent_sim.adk.worlds.world_run import WorldRun
from adk_agent_sim.scenario import Judge, ScenarioImportedFromJson, World

_MAIL = "Emails__send_email"
_SAY = "AgentUserInterface__send_message_to_agent"
_SEARCH = "Emails__search_emails"
_WAIT = "SystemApp__wait_for_notification"
_TIME = "SystemApp__get_current_time"


@dataclass(frozen=True, kw_only=True)
class Size:
    """How often each peer is measured."""

    rounds: int = 15
    waits: int = 10
    """Waits in 300 s."""
    calls: int = 200


QUICK = Size(rounds=1, waits=2, calls=2)

_Once = Callable[[], Awaitable[object]]


class _PlainTool(BaseTool):
    """A function of a world as a plain tool: without clock, notifications, limits or records."""

    def __init__(self, declaration: types.FunctionDeclaration, function: Callable[..., Any]) -> None:
        super().__init__(name=declaration.name or "", description=declaration.description or "")
        self._declaration = declaration
        self._function = function

    def _get_declaration(self) -> types.FunctionDeclaration:
        return self._declaration

    async def run_async(self, *, args: dict[str, Any], tool_context: ToolContext) -> Any:
        return str(self._function(**args))


def wait(size: Size) -> None:
    """A scenario of 300 s in which mails arrive, and an agent that waits for each of them."""
    step = 300 / size.waits
    events = [build_world_event("ask", "USER", delay=0, call=_SAY, content="Wait for the mails.")]
    events += [
        build_world_event(f"mail {number}", "ENV", ("ask",), delay=step * (number + 1)) for number in range(size.waits)
    ]
    events.append(build_reply_event("told", f"mail {size.waits - 1}"))
    scenario = build_world_scenario(*events)
    script = [*[call_response((_WAIT, {"timeout": 200}))] * size.waits, text_response("All are there.")]
    _compare("300 s with waits", scenario, script, ["Wait for the mails."], size)


def turns(size: Size) -> None:
    """A whole run of four turns, each with two calls, opening and closing included."""
    events: list[dict[str, Any]] = []
    script: list[dict[str, Any]] = []
    messages = [f"Send mail {number}." for number in range(4)]
    for number, text in enumerate(messages):
        after = (f"told {number - 1}",) if number else ()
        mail: dict[str, Any] = {"recipients": ["a@example.org"], "subject": str(number)}
        events += [
            build_world_event(f"ask {number}", "USER", after, _SAY, delay=1, content=text),
            build_world_event(f"do {number}", "AGENT", (f"ask {number}",), _MAIL, **mail),
            build_reply_event(f"told {number}", f"do {number}"),
        ]
        script += [call_response((_TIME, {})), call_response((_MAIL, mail)), text_response("Sent.")]
    _compare("4 turns", build_world_scenario(*events), script, messages, size)


def call(size: Size) -> None:
    """One turn with many calls of a tool of the world: what a call adds."""
    search = (_SEARCH, {"query": "lunch"})
    events = [build_world_event("ask", "USER", delay=0, call=_SAY, content="Search mails.")]
    events.append(build_reply_event("told", "ask"))
    scenario = build_world_scenario(*events)
    script = [call_response(*[search] * size.calls), text_response("Found.")]
    _compare(f"{size.calls} calls at once", scenario, script, ["Search mails."], size)


def _compare(
    name: str, scenario: ScenarioImportedFromJson, script: list[dict[str, Any]], messages: list[str], size: Size
) -> None:
    judge = Judge(scenario)
    declarations = _list_declarations(scenario, judge)

    async def ours() -> object:
        run = WorldRun(_create_agent(script), scenario, judge=judge)
        result = await run.run()
        if result.step_count != len(script):
            raise RuntimeError(f"{result.step_count} model calls instead of {len(script)}: {result.reason}")
        return result

    async def theirs() -> object:
        return await _run_plainly(_create_agent(script, _build_plain_tools(scenario, declarations)), messages)

    async def run_recorded() -> object:
        return await _run_recorded(_create_agent(script, _build_plain_tools(scenario, declarations)), messages)

    best = asyncio.run(_measure({"ours": ours, "theirs": theirs, "recorded": run_recorded}, size.rounds))
    print(
        f"{name:<18} in a world {best['ours'] * 1000:8.2f} ms   plain Runner {best['theirs'] * 1000:8.2f} ms "
        f"{best['ours'] / best['theirs']:5.2f}x   plain tools, recorded {best['recorded'] * 1000:8.2f} ms "
        f"{best['ours'] / best['recorded']:5.2f}x"
    )


def _create_agent(script: list[dict[str, Any]], tools: list[BaseTool] | None = None) -> LlmAgent:
    return LlmAgent(name="assistant", model=ScriptedModel(script=script), tools=[*(tools or [])])


def _list_declarations(scenario: ScenarioImportedFromJson, judge: Judge) -> Mapping[str, types.FunctionDeclaration]:
    tools = WorldRun(_create_agent([]), scenario, judge=judge).session.tools
    return {name: found for name, tool in tools.items() if (found := get_declaration(tool)) is not None}


def _build_plain_tools(
    scenario: ScenarioImportedFromJson, declarations: Mapping[str, types.FunctionDeclaration]
) -> list[BaseTool]:
    """Build the tools of a new world's apps; creating the world is part of both sides."""
    world = World(scenario)
    offered = world.tools()
    return [
        _PlainTool(declaration, getattr(world.apps[offered[name].app], offered[name].tool.name))
        for name, declaration in declarations.items()
    ]


async def _run_plainly(agent: LlmAgent, messages: list[str]) -> None:
    runner = Runner(app=App(name="assistant", root_agent=agent), session_service=InMemorySessionService())
    session = await runner.session_service.create_session(app_name="assistant", user_id="user")
    for text in messages:
        content = types.Content(role="user", parts=[types.Part(text=text)])
        async for _ in runner.run_async(user_id="user", session_id=session.id, new_message=content):
            pass
    await runner.close()


async def _run_recorded(agent: LlmAgent, messages: list[str]) -> None:
    async with Simulation(agent, model="real") as simulation:
        for text in messages:
            await simulation.send(text)


async def _measure(peers: Mapping[str, _Once], rounds: int) -> dict[str, float]:
    """Return the best CPU time of each peer, run in turns so that both meet the same machine."""
    best = dict.fromkeys(peers, float("inf"))
    for run in peers.values():
        await run()
    for _ in range(rounds):
        for name, run in peers.items():
            gc.collect()
            start = time.process_time()
            await run()
            best[name] = min(best[name], time.process_time() - start)
    return best


BENCHMARKS: Mapping[str, Callable[[Size], None]] = {"wait": wait, "call": call, "turns": turns}


if __name__ == "__main__":
    given = arguments.read(__doc__, list(BENCHMARKS))
    print("An agent in a world, against the same model and tool calls on a plain Runner of ADK")
    for each in given.benchmarks or BENCHMARKS:
        BENCHMARKS[each](QUICK if given.quick else Size())

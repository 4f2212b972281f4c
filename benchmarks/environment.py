"""Measures what a simulated environment costs a tool call, against ADK's own in the same run, without a timeline.

    python benchmarks/environment.py [--quick]

A call is measured from the plugin's callback to the answer, with the objects of a real run: ADK answers in the
callback; ours sits down there and answers in the tool, after consent. Peers are run in turns, and the best of 40 short
rounds counts. Figures are for `benchmarks/README.md`; nothing here passes or fails.
"""

from __future__ import annotations

import asyncio
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.plugins import BasePlugin
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.tools import BaseTool, ToolContext
from google.adk.tools.environment_simulation import EnvironmentSimulationFactory as AdkFactory
from google.adk.tools.environment_simulation.environment_simulation_config import (
    EnvironmentSimulationConfig,
    InjectionConfig,
    ToolSimulationConfig,
)
from google.genai import types

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import arguments
from scripted_model import ScriptedModel, call_response, text_response

from adk_agent_sim import EnvironmentSimulationFactory


@dataclass(frozen=True, kw_only=True)
class Size:
    """How often each peer is measured."""

    rounds: int = 40
    calls: int = 500
    messages: int = 10


_ARGS = {"item_id": "ITEM-404", "limit": 3}


async def lookup(item_id: str, limit: int = 10) -> dict[str, Any]:
    """Look up."""
    return {"item_id": item_id}


def _config(tools: int, misses: int, *, other: bool = False) -> EnvironmentSimulationConfig:
    """A config for so many tools, in each so many injections that do not match and one that does."""
    names = [f"tool_{number}" for number in range(tools - 1)] + ["other" if other else "lookup"]
    missing = [InjectionConfig(match_args={"item_id": f"ITEM-{n}"}, injected_response={"n": n}) for n in range(misses)]
    hit = InjectionConfig(match_args={"item_id": "ITEM-404"}, injected_response={"status": "gone", "tries": [1, 2]})
    return EnvironmentSimulationConfig(
        tool_simulation_configs=[
            ToolSimulationConfig(tool_name=name, injection_configs=[*missing, hit]) for name in names
        ]
    )


Once = Callable[[], Awaitable[object]]


def _theirs(config: EnvironmentSimulationConfig, tool: BaseTool, context: ToolContext) -> Once:
    plugin = AdkFactory.create_plugin(config)
    return lambda: plugin.before_tool_callback(tool=tool, tool_args=_ARGS, tool_context=context)


def _ours(config: EnvironmentSimulationConfig, tool: BaseTool, context: ToolContext, *, named: bool) -> Once:
    plugin = EnvironmentSimulationFactory.create_plugin(config)
    if not named:
        return lambda: plugin.before_tool_callback(tool=tool, tool_args=_ARGS, tool_context=context)

    async def once() -> object:
        await plugin.before_tool_callback(tool=tool, tool_args=_ARGS, tool_context=context)
        return await tool.run_async(args=_ARGS, tool_context=context)

    return once


async def _time_calls(once: Once, calls: int) -> float:
    start = time.perf_counter()
    for _ in range(calls):
        await once()
    return (time.perf_counter() - start) / calls * 1e6


async def _compare(title: str, peers: Sequence[Once], size: Size) -> None:
    best = [float("inf")] * len(peers)
    for _ in range(size.rounds):
        best = [min(known, await _time_calls(once, size.calls)) for known, once in zip(best, peers, strict=True)]
    theirs, ours = best
    print(f"{title:44} ADK {theirs:7.2f} us   ours {ours:7.2f} us   {ours / theirs:5.2f}x")


class _Measures(BasePlugin):
    """Measures inside the first call of a real run."""

    def __init__(self, size: Size) -> None:
        super().__init__(name="measures")
        self._size = size

    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
    ) -> dict[str, Any]:
        async def both(title: str, config: EnvironmentSimulationConfig, *, named: bool = True) -> None:
            peers = [_theirs(config, tool, tool_context), _ours(config, tool, tool_context, named=named)]
            await _compare(title, peers, self._size)

        await both("a tool that no rule names", _config(1, 0, other=True), named=False)
        await both("a hit", _config(1, 0))
        await both("a hit after 20 rules that do not match", _config(1, 20))
        await both("a hit after 4 rules, 5 rules in all", _config(1, 4))
        await both("a hit after 4 rules, 1,000 over 200 tools", _config(200, 4))
        return {}


async def _run(*plugins: BasePlugin, messages: int = 1) -> float:
    sessions = InMemorySessionService()
    agent = LlmAgent(
        name="bench",
        model=ScriptedModel(script=[call_response(("lookup", dict(_ARGS))), text_response("done")]),
        tools=[lookup],
    )
    runner = Runner(app=App(name="bench", root_agent=agent, plugins=list(plugins)), session_service=sessions)
    start = time.perf_counter()
    for _ in range(messages):
        session = await sessions.create_session(app_name="bench", user_id="user")
        message = types.Content(role="user", parts=[types.Part(text="go")])
        async for _ in runner.run_async(user_id="user", session_id=session.id, new_message=message):
            pass
    return (time.perf_counter() - start) / messages * 1e3


async def main(size: Size) -> None:
    await _run(_Measures(size))
    idle = _config(1, 0, other=True)
    peers: dict[str, Callable[[], list[BasePlugin]]] = {
        "no plugin": list,
        "ADK's, idle": lambda: [AdkFactory.create_plugin(idle)],
        "ours, idle": lambda: [EnvironmentSimulationFactory.create_plugin(idle)],
    }
    best = dict.fromkeys(peers, float("inf"))
    for _ in range(size.rounds):
        for name, plugins in peers.items():
            best[name] = min(best[name], await _run(*plugins(), messages=size.messages))
    for name, milliseconds in best.items():
        ratio = milliseconds / best["no plugin"]
        print(f"a whole user turn with a call, {name:14} {milliseconds:7.3f} ms   {ratio:5.3f}x")


if __name__ == "__main__":
    quick = arguments.read(__doc__).quick
    asyncio.run(main(Size(rounds=1, calls=2, messages=1) if quick else Size()))

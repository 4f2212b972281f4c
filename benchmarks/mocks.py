"""Measures what a mocked response costs against a fixed one, and what mocks add to a store and to opening a session.

    python benchmarks/mocks.py [--quick]

A call is measured from the plugin's callback to the answer, inside a real run, without a timeline. Peers are run in
turns, and the best of 40 short rounds counts. A session is opened until its first model turn can be decided, with 100
tools, each of which a rule mocks, or none, in CPU time; for the first time with a plugin, and again. Figures are for
`benchmarks/README.md`; nothing here passes or fails.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.plugins import BasePlugin
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.tools import BaseTool, ToolContext
from google.genai import types
from pydantic import BaseModel

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import arguments
from scripted_agent import build_scripted_agent

from adk_agent_sim import EnvironmentSimulationFactory, Simulation
from adk_agent_sim.environment.rules_file import parse_rules
from adk_agent_sim.mocks.mocked_call import KeyedDraws, ToolSpec
from adk_agent_sim.mocks.resource_store import ResourceStore, infer_role
from adk_agent_sim.mocks.stateful_mock import StatefulMock


@dataclass(frozen=True, kw_only=True)
class Size:
    """How often each peer is measured."""

    rounds: int = 40
    calls: int = 200
    resources: int = 10_000
    tools: int = 100
    openings: int = 25


class Order(BaseModel):
    """What the tool responds with."""

    order_id: str
    status: str
    total: float
    city: str
    created_at: str


def get_order(order_id: str) -> Order:
    """Look up an order."""
    raise AssertionError("the real tool must not run")


_ARGS = {"order_id": "ORD-1"}
_FIXED = "{order_id: ORD-1, status: paid, total: 12.5, city: Oslo, created_at: '2026-01-01'}"
_ACTIONS = {
    "a fixed response": f"{{respond: {_FIXED}}}",
    "mock schema": "{mock: schema}",
    "mock stateful": "{mock: stateful}",
}

Once = Callable[[], Awaitable[object]]


class _Measures(BasePlugin):
    """Measures inside the first call of a real run."""

    def __init__(self, size: Size) -> None:
        super().__init__(name="measures")
        self._size = size

    async def before_tool_callback(
        self, *, tool: BaseTool, tool_args: dict[str, Any], tool_context: ToolContext
    ) -> dict[str, Any]:
        peers = {name: _build_peer(action, tool, tool_context) for name, action in _ACTIONS.items()}
        best = dict.fromkeys(peers, float("inf"))
        for _ in range(self._size.rounds):
            for name, once in peers.items():
                best[name] = min(best[name], await _measure(once, self._size.calls))
        for name, microseconds in best.items():
            print(f"{name:44} {microseconds:8.2f} us   {microseconds / best['a fixed response']:5.2f}x")
        return {}


def _build_peer(action: str, tool: BaseTool, context: ToolContext) -> Once:
    rules = parse_rules(f"{{seed: 7, rules: [{{match: {{tool: get_order}}, do: {action}}}]}}")
    plugin = EnvironmentSimulationFactory.create_plugin(rules)

    async def call_once() -> object:
        await plugin.before_tool_callback(tool=tool, tool_args=_ARGS, tool_context=context)
        return await tool.run_async(args=_ARGS, tool_context=context)

    return call_once


async def _measure(once: Once, calls: int) -> float:
    start = time.perf_counter()
    for _ in range(calls):
        await once()
    return (time.perf_counter() - start) / calls * 1e6


async def _run(plugin: BasePlugin) -> None:
    sessions = InMemorySessionService()
    agent = build_scripted_agent([get_order], [("get_order", dict(_ARGS))])
    runner = Runner(app=App(name="bench", root_agent=agent, plugins=[plugin]), session_service=sessions)
    session = await sessions.create_session(app_name="bench", user_id="user")
    message = types.Content(role="user", parts=[types.Part(text="go")])
    async for _ in runner.run_async(user_id="user", session_id=session.id, new_message=message):
        pass
    await runner.close()


def _describe(name: str, *names: str) -> ToolSpec:
    return ToolSpec(
        name=name, parameters={"type": "object", "properties": {each: {"type": "string"} for each in names}}
    )


def _measure_store(count: int, size: Size) -> tuple[float, float]:
    """Return how long it takes to create and to get a resource, in a store with so many."""
    create, get = _describe("create_order", "item"), _describe("get_order", "order_id")
    create_role, get_role = infer_role(create), infer_role(get)
    assert create_role is not None and get_role is not None  # noqa: S101, PT018 - the names say it
    records = [{"order_id": f"ORD-{number}", "item": "lamp", "status": "active"} for number in range(count)]
    mock = StatefulMock(ResourceStore({"orders": records}), frozenset({"order"}))
    best = [float("inf"), float("inf")]
    bits = 0
    for _ in range(size.rounds):
        start = time.perf_counter()
        for _ in range(10):
            bits += 1
            mock.respond(create, create_role, {"item": "lamp"}, KeyedDraws(bits))
        created = time.perf_counter()
        for number in range(size.calls):
            mock.respond(get, get_role, {"order_id": f"ORD-{number % count}"}, KeyedDraws(0))
        end = time.perf_counter()
        best = [min(best[0], (created - start) / 10), min(best[1], (end - created) / size.calls)]
    return best[0] * 1e6, best[1] * 1e6


def _build_tool(number: int) -> Callable[..., Any]:
    def get_item(item_id: str, limit: int = 10) -> Order:
        """Look up an item."""
        raise AssertionError("the real tool must not run")

    get_item.__name__ = f"get_item_{number}"
    return get_item


async def _open_session(app: App) -> float:
    start = time.process_time()
    async with Simulation(app) as sim:
        await sim.send("hello")
        return time.process_time() - start


async def _measure_opening(size: Size) -> dict[str, tuple[float, float]]:
    """Return how long it takes to open a session for the first time with its plugin, and again; the best of each."""
    agent = LlmAgent(name="bench", model="m", tools=[_build_tool(number) for number in range(size.tools)])
    mocked = [
        {"match": {"tool": f"get_item_{number}"}, "do": {"mock": "stateful" if number % 2 else "schema"}}
        for number in range(size.tools)
    ]
    rules = parse_rules(json.dumps({"seed": 7, "rules": mocked}))
    best: dict[str, tuple[float, float]] = {}
    for _ in range(size.openings):
        for name in ("without rules", "mocked"):
            plugins = [EnvironmentSimulationFactory.create_plugin(rules)] if name == "mocked" else []
            app = App(name="bench", root_agent=agent, plugins=[*plugins])
            times = await _open_session(app), await _open_session(app)
            known = best.get(name, (float("inf"), float("inf")))
            best[name] = min(times[0], known[0]), min(times[1], known[1])
    return best


async def main(size: Size) -> None:
    await _run(_Measures(size))
    few, many = _measure_store(10, size), _measure_store(size.resources, size)
    for name, before, after in zip(("create", "get"), few, many, strict=True):
        title = f"store: {name}, with 10 and {size.resources:,} resources"
        print(f"{title:44} {before:8.2f} us  {after:8.2f} us   {after / before:5.2f}x")
    opened = await _measure_opening(size)
    for place, name in enumerate(("the first session", "a further session")):
        before, after = (opened[each][place] * 1e3 for each in ("without rules", "mocked"))
        title = f"open {name}, {size.tools} tools mocked"
        print(f"{title:44} {before:8.2f} ms  {after:8.2f} ms   {after / before:5.2f}x")


if __name__ == "__main__":
    quick = arguments.read(__doc__).quick
    asyncio.run(main(Size(rounds=1, calls=2, resources=100, tools=3, openings=1) if quick else Size()))

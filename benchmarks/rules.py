"""Measures the checks of large rules files, and what a simulated environment costs where no rule applies.

    python benchmarks/rules.py [--quick] [check] [idle]

`check` validates files of 500 and of 10,000 rules: the time per rule should be the same. `idle` runs whole user turns
with a tool call, with and without the plugin. The peers take turns in every order, and the ratio of each round's CPU
times is taken; the median is given with its 95% interval. Figures are for `benchmarks/README.md`; nothing here passes
or fails.
"""

from __future__ import annotations

import asyncio
import gc
import json
import statistics
import sys
import time
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from itertools import permutations
from pathlib import Path
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.plugins import BasePlugin
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
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
from adk_agent_sim.environment import Rules
from adk_agent_sim.environment.rule_lint import lint_rules
from adk_agent_sim.environment.rules_file import check_rules_text


@dataclass(frozen=True, kw_only=True)
class Size:
    """How much is measured, and how often."""

    rules: tuple[int, int] = (500, 10_000)
    checks: int = 3
    rounds: int = 300
    messages: int = 2


QUICK = Size(rules=(5, 10), checks=1, rounds=2, messages=1)

_ARGS = {"item_id": "ITEM-404", "limit": 3}


async def lookup(item_id: str, limit: int = 10) -> dict[str, Any]:
    """Look up."""
    return {"item_id": item_id}


def _write_rules(count: int) -> str:
    """Rules as `adksim env from-trace` makes them: one per recorded call, here 50 of each tool."""
    rules = [
        {
            "name": f"call {number}",
            "match": {
                "tool": f"tool_{number // 50}",
                "args": {"item_id": f"ITEM-{number}", "limit": {"min": number % 7}},
            },
            "do": [{"delay": 0.1}, {"respond": {"item": number}}],
        }
        for number in range(count)
    ]
    return json.dumps({"seed": 1, "rules": rules}, indent=1)


def _measure_best(work: Callable[[], object], times: int) -> float:
    """Return the least CPU seconds."""
    best = float("inf")
    for _ in range(times):
        gc.collect()
        start = time.process_time()
        work()
        best = min(best, time.process_time() - start)
    return best


def check(size: Size) -> None:
    """Measure the validation of files."""
    kinds: list[tuple[str, Callable[[str], Callable[[], object]]]] = [
        ("read and check a file", lambda text: lambda: check_rules_text(text)),
        ("validate the models", lambda text: _validate(json.loads(text))),
        ("find rules that never fire", lambda text: _lint(Rules.model_validate(json.loads(text)))),
    ]
    small, large = size.rules
    for title, prepare in kinds:
        times = [_measure_best(prepare(_write_rules(count)), size.checks) / count for count in size.rules]
        figures = f"{times[0] * 1e6:7.1f} us a rule at {small:,}   {times[1] * 1e6:7.1f} us a rule at {large:,}"
        print(f"{title:28} {figures}   {times[1] / times[0]:5.2f}x")


def _validate(value: Any) -> Callable[[], object]:
    return lambda: Rules.model_validate(value)


def _lint(rules: Rules) -> Callable[[], object]:
    return lambda: list(lint_rules(rules))


def _create_idle_rules(*, with_model: bool) -> Rules:
    rules: list[dict[str, Any]] = [{"match": {"tool": f"tool_{number}"}, "do": {"respond": 1}} for number in range(20)]
    if with_model:
        rules.append({"seat": "model", "match": {"agent": "other"}, "do": "empty"})
    return Rules.model_validate({"rules": rules})


def _create_adk_config() -> EnvironmentSimulationConfig:
    injection = InjectionConfig(injected_response={"n": 1})
    return EnvironmentSimulationConfig(
        tool_simulation_configs=[
            ToolSimulationConfig(tool_name=f"tool_{number}", injection_configs=[injection]) for number in range(20)
        ]
    )


def _create_runner(plugins: Sequence[BasePlugin]) -> Callable[[int], Awaitable[None]]:
    """Return a function that runs user turns, each with a call and in a session of its own."""
    sessions = InMemorySessionService()
    agent = LlmAgent(
        name="bench",
        model=ScriptedModel(script=[call_response(("lookup", dict(_ARGS))), text_response("done")]),
        tools=[lookup],
    )
    runner = Runner(app=App(name="bench", root_agent=agent, plugins=list(plugins)), session_service=sessions)

    async def run(messages: int) -> None:
        for _ in range(messages):
            session = await sessions.create_session(app_name="bench", user_id="user")
            message = types.Content(role="user", parts=[types.Part(text="go")])
            async for _ in runner.run_async(user_id="user", session_id=session.id, new_message=message):
                pass
            await sessions.delete_session(app_name="bench", user_id="user", session_id=session.id)

    return run


async def idle(size: Size) -> None:
    """Measure whole user turns in which no rule applies."""
    plain, ours, seated = "no plugin", "ours", "ours, with a rule for the model"
    runners = {
        plain: _create_runner([]),
        "ADK's": _create_runner([AdkFactory.create_plugin(_create_adk_config())]),
        ours: _create_runner([EnvironmentSimulationFactory.create_plugin(_create_idle_rules(with_model=False))]),
        seated: _create_runner([EnvironmentSimulationFactory.create_plugin(_create_idle_rules(with_model=True))]),
    }
    seconds: dict[str, list[float]] = {name: [] for name in runners}
    orders = list(permutations(runners))
    for run in runners.values():
        await run(size.messages)
    gc.collect()
    gc.disable()
    for number in range(size.rounds):
        for name in orders[number % len(orders)]:
            start = time.process_time()
            await runners[name](size.messages)
            seconds[name].append((time.process_time() - start) / size.messages)
        if number % 20 == 19:
            gc.collect()
    gc.enable()
    for name, measured in seconds.items():
        ratios = [mine / base for mine, base in zip(measured, seconds[plain], strict=True)]
        low, high = _compute_interval(ratios)
        milliseconds = statistics.median(measured) * 1e3
        interval = f"{statistics.median(ratios):5.3f}x   95% interval {low:5.3f}x to {high:5.3f}x"
        print(f"a user turn with a call, {name:32} {milliseconds:7.3f} ms   {interval}")


def _compute_interval(values: Sequence[float]) -> tuple[float, float]:
    """Return the 95% interval of the median, from the order of the values (a binomial distribution)."""
    ordered = sorted(values)
    half = 0.98 * len(ordered) ** 0.5
    low = max(0, int(len(ordered) / 2 - half))
    high = min(len(ordered) - 1, int(len(ordered) / 2 + half))
    return ordered[low], ordered[high]


def main(chosen: Sequence[str], size: Size) -> None:
    """Run the chosen benchmarks."""
    if "check" in chosen:
        check(size)
    if "idle" in chosen:
        asyncio.run(idle(size))


if __name__ == "__main__":
    given = arguments.read(__doc__, ("check", "idle"))
    main(given.benchmarks or ("check", "idle"), QUICK if given.quick else Size())

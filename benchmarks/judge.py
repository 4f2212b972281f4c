"""Measures the judge of scenarios against the real ARE package's: preparing it, judging a trace, and how that grows.

    make are-parity                                    once: installs the package in .venv-are
    python benchmarks/judge.py                         all of it
    python benchmarks/judge.py grow                    some of it
    python benchmarks/judge.py --quick                 our side only, at the smallest size, which measures nothing

The traces are perfect: what the oracle does. Times are CPU times, the best of some rounds. Figures are for
`benchmarks/README.md`; nothing here passes or fails.
"""

from __future__ import annotations

import gc
import json
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import arguments
from parity.are_process import Are
from parity.our_calls import read_scenario
from scenario_corpus import load_universe
from world_builders import build_reply_event, build_scenario_file, build_world_event

from adk_agent_sim.scenario import Judge, ScenarioImportedFromJson, World
from adk_agent_sim.scenario.format.models import ExportedTrace, to_json_value

ARE_PYTHON = Path(__file__).parents[1] / ".venv-are" / "bin" / "python"


@dataclass(frozen=True, kw_only=True)
class Size:
    """How much is measured, how often, and whether against the package."""

    rounds: int = 20
    with_are: bool = True
    compare: tuple[int, ...] = (7, 38)
    """Events of a trace."""
    grow: tuple[int, ...] = (20, 200, 2_000)


QUICK = Size(rounds=1, with_are=False, compare=(7,), grow=(20,))


def compare(size: Size) -> None:
    """What it costs to prepare a judge and to judge a trace, against the package."""
    print("\nJudge: a scenario with the apps of the corpus")
    are = _start_are(size)
    for count in size.compare:
        file = _build_chain(count)
        scenario = read_scenario(json.dumps(file))
        trace = _run_oracle(scenario)
        judge = Judge(scenario)
        ours = {
            "prepare": _measure(lambda scenario=scenario: Judge(scenario), min(size.rounds, 5)),
            "judge": _measure(lambda judge=judge, trace=trace: judge.judge(trace), size.rounds),
        }
        events = [to_json_value(each) for each in trace.completed_events]
        theirs = are.do_job("speed", scenario=json.dumps(file), events=events, rounds=size.rounds) if are else {}
        for what, seconds in ours.items():
            other = f"   ARE {theirs[what] * 1e3:8.2f} ms   {theirs[what] / seconds:6.1f}x" if theirs else ""
            print(f"  {count:>3} events   {what:<8} ours {seconds * 1e3:7.3f} ms{other}")
    if are is not None:
        are.close()


def grow(size: Size) -> None:
    """How the time of a verdict grows with the trace."""
    print("\nJudge: a perfect trace that grows")
    for count in size.grow:
        scenario = read_scenario(json.dumps(_build_chain(count)))
        trace, judge = _run_oracle(scenario), Judge(scenario)
        seconds = _measure(lambda judge=judge, trace=trace: judge.judge(trace), size.rounds)
        print(f"  {count:>5,} events   {seconds * 1e3:8.3f} ms   {seconds / count * 1e6:5.1f} us an event")


def _build_chain(count: int) -> dict[str, Any]:
    """Events one after the other: the user asks, the agent sends mails and answers."""
    names = [f"e{number:05d}" for number in range(count - 2)]
    after = ["u", *names]
    mail: dict[str, Any] = {"recipients": ["a@example.org"], "subject": "Hello", "content": "How are you?"}
    mails = [
        build_world_event(name, "AGENT", (before,), "Emails__send_email", delay=1, at=None, **mail)
        for before, name in zip(after, names, strict=False)
    ]
    file = build_scenario_file(
        build_world_event("u", "USER", delay=0),
        *mails,
        build_reply_event("m", after[-1]),
        duration=float(count + 10),
        time_increment_in_seconds=1,
        seed=0,
    )
    return file | {"apps": load_universe(), "world_logs": [], "context": None, "augmentation": None}


def _run_oracle(scenario: ScenarioImportedFromJson) -> ExportedTrace:
    world = World(scenario)
    world.run_oracle()
    return world.export_trace()


def _measure(act: Callable[[], object], rounds: int) -> float:
    """Return the CPU seconds of the best round."""
    best = float("inf")
    for _ in range(rounds):
        gc.collect()
        start = time.process_time()
        act()
        best = min(best, time.process_time() - start)
    return best


def _start_are(size: Size) -> Are | None:
    if not size.with_are:
        print("  (our side only)")
        return None
    if ARE_PYTHON.exists():
        return Are(str(ARE_PYTHON), "are_judge_side.py")
    print("  (without the ARE package: `make are-parity` installs it)")
    return None


_BENCHMARKS = {"compare": compare, "grow": grow}

if __name__ == "__main__":
    stated = arguments.read(__doc__, list(_BENCHMARKS))
    for name in stated.benchmarks or _BENCHMARKS:
        _BENCHMARKS[name](QUICK if stated.quick else Size())

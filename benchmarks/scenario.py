"""Measures scenarios against the real ARE package, in one run: oracle runs, reading, memory, an agent in virtual time.

    make are-parity                                    once: installs the package in .venv-are
    python benchmarks/scenario.py                      all of it
    python benchmarks/scenario.py oracle read          some of it
    python benchmarks/scenario.py --quick              our side only, at the smallest size, which measures nothing

The package runs in a process of its own, and the two take turns; the best of some rounds counts. Figures are for
`benchmarks/README.md`; nothing here passes or fails.
"""

from __future__ import annotations

import gc
import json
import re
import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any, cast

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import arguments
from parity.are_process import Are
from parity.our_calls import read_scenario
from scenario_corpus import load_universe
from world_builders import build_reply_event, build_scenario_file, build_world_event

from adk_agent_sim.scenario import World
from adk_agent_sim.scenario.format.lint import lint
from adk_agent_sim.scenario.format.scenario_summary import render_text
from adk_agent_sim.scenario.world.collection_pause import pause_garbage_collection

ROOT = Path(__file__).parents[1]
ARE_PYTHON = ROOT / ".venv-are" / "bin" / "python"
_ID = re.compile(r"[0-9a-f]{32}")


@dataclass(frozen=True, kw_only=True)
class Size:
    """How much is measured, how often, and whether against the package."""

    rounds: int = 5
    with_are: bool = True
    oracle: tuple[int, ...] = (200, 2_000, 20_000)
    """Events of a run."""
    scale: tuple[int, ...] = (200, 2_000, 20_000)
    """Events of a scenario."""
    read: int = 7_000_000
    """Bytes of a scenario."""
    memory: int = 1_840_000
    worlds: int = 100


QUICK = Size(rounds=1, with_are=False, oracle=(20, 40), scale=(20, 40), read=1, memory=1, worlds=2)


def oracle(size: Size) -> None:
    """What an event of an oracle run costs."""
    print("\nOracle run: events a second")
    are = _are(size)
    ours: dict[int, float] = {}
    for count in size.oracle:
        text = json.dumps(_chain(count))
        peer = (lambda text=text: _their_run(are, text)) if are is not None and count <= 2_000 else None
        mine, theirs = _best(lambda text=text: _our_run(text), peer, size)
        ours[count] = count / mine
        beside = f"   ARE {count / theirs:>7,.0f}/s   {theirs / mine:5.1f}x" if theirs else ""
        print(f"  {count:>6,} events   ours {ours[count]:>7,.0f}/s{beside}")
    least, most = size.oracle[0], size.oracle[-1]
    print(f"  ours at {most:,} against ours at {least:,}: {ours[most] / ours[least]:.2f}x")
    _close(are)


def measure_reading(size: Size) -> None:
    """Measure what it costs to read a large scenario and make its world."""
    text = json.dumps(_enlarge_universe(size.read))
    print(f"\nReading: a scenario of {len(text) / 1e6:.1f} MB")
    are = _are(size)
    parse, their_parse = _best(
        lambda: _time_call(lambda: read_scenario(text)),
        (lambda: are.do_job("speed", scenario=text)["parse"]) if are else None,
        size,
    )
    whole, theirs = _best(
        lambda: _time_call(lambda: World(read_scenario(text))),
        (lambda: _both(are.do_job("speed", scenario=text))) if are else None,
        size,
    )
    for what, mine, other in (("parse", parse, their_parse), ("parse + init", whole, theirs)):
        beside = f"   ARE {other * 1e3:7.1f} ms   {other / mine:4.1f}x" if other else ""
        print(f"  {what:<13} ours {mine * 1e3:7.1f} ms{beside}")
    _close(are)


def scale(size: Size) -> None:
    """How the CPU time per event grows with the number of events: reading, checking, showing, running."""
    print("\nScale: CPU time per event")
    seen: dict[str, list[float]] = {}
    for count in size.scale:
        text = json.dumps(_chain(count))
        scenario = read_scenario(text)
        acts: dict[str, Callable[[], object]] = {
            "read": lambda text=text: read_scenario(text),
            "lint": lambda scenario=scenario: lint(scenario),
            "show": lambda scenario=scenario: render_text(scenario),
        }
        for name, act in acts.items():
            seen.setdefault(name, []).append(min(_use_cpu(act) for _ in range(size.rounds)) / count)
        # As many events in small runs: a process that is interrupted often loses its caches in both.
        worlds = max(1, size.scale[-1] // count)
        best = min(_use_cpu(*[World(scenario).run_oracle for _ in range(worlds)]) for _ in range(size.rounds))
        seen.setdefault("run", []).append(best / (count * worlds))
    for name, per_event in seen.items():
        shown = "   ".join(
            f"{count:>6,}: {each * 1e6:6.1f} us" for count, each in zip(size.scale, per_event, strict=True)
        )
        growth = ", ".join(f"{per_event[-1] / each:.2f}x" for each in per_event[:-1])
        print(f"  {name:<5} {shown}   {size.scale[-1]:,} against the others: {growth}")


def _use_cpu(*acts: Callable[[], object]) -> float:
    gc.collect()
    start = time.process_time()
    with pause_garbage_collection():
        for act in acts:
            act()
    return time.process_time() - start


def agent(size: Size) -> None:
    """How fast virtual time passes with an agent."""
    mails = [build_world_event(f"e{number:03d}", "ENV", ("u",), delay=number) for number in range(5, 300, 5)]
    text = json.dumps(
        build_scenario_file(
            build_world_event("u", "USER", delay=0), *mails, build_reply_event("m", "u", delay=299), duration=300
        )
    )

    def time_play() -> float:
        scenario = read_scenario(text)
        return _time_call(lambda: _play(World(scenario)))

    seconds, _ = _best(time_play, None, size)
    print(f"\nAgent: 300 s with a scripted agent, 59 mails, a call after each: {seconds * 1e3:.1f} ms")
    print(f"  {300 / seconds:,.0f}x real time")


def memory(size: Size) -> None:
    """What a world costs in memory, the first one and further ones of the same scenario."""
    text = json.dumps(_enlarge_universe(size.memory))
    tracemalloc.start()
    scenario = read_scenario(text)
    first = tracemalloc.get_traced_memory()[0]
    worlds = [World(scenario) for _ in range(size.worlds)]
    rest = (tracemalloc.get_traced_memory()[0] - first) / size.worlds
    for world in worlds:
        world.call("Contacts", "add_new_contact", {"first_name": "Ada", "last_name": "Lind"})
    changed = (tracemalloc.get_traced_memory()[0] - first) / size.worlds
    tracemalloc.stop()
    print(f"\nMemory: {size.worlds} worlds of a scenario of {len(text) / 1e6:.2f} MB")
    print(
        f"  the scenario {first / 1e6:.1f} MB   each world {rest / 1e3:,.0f} KB   after a call {changed / 1e3:,.0f} KB"
    )


def imports(size: Size) -> None:
    """What opening the room costs, and how large the process is with a large scenario in it."""
    text = json.dumps(_enlarge_universe(size.read))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "scenario.json"
        file.write_text(text, encoding="utf-8")
        seen = _processes(file, size)
    print(f"\nImport of the room, and the process with a scenario of {len(text) / 1e6:.1f} MB")
    for name, (seconds, megabytes) in seen.items():
        print(f"  {name:<5} import {seconds * 1e3:6.0f} ms   {megabytes:6.0f} MB")


def _processes(file: Path, size: Size) -> dict[str, tuple[float, float]]:
    """Seconds of the import and megabytes of the process, of each side."""
    code = (
        "import time; s = time.perf_counter(); {statement}; e = time.perf_counter() - s\n"
        "x = {load}\nprint(e, next(x for x in open('/proc/self/status') if x.startswith('VmHWM')).split()[1])"
    )
    sides = {
        "ours": (sys.executable, "from adk_agent_sim.scenario import JsonScenarioImporter"),
        "ARE": (str(ARE_PYTHON), "from are.simulation.data_handler.importer import JsonScenarioImporter"),
    }
    load = f"JsonScenarioImporter().import_from_json(json_str=open({str(file)!r}).read(), load_completed_events=False)"
    seen: dict[str, tuple[float, float]] = {}
    for _ in range(min(size.rounds, 3)):
        for name, (python, statement) in sides.items():
            if name == "ours" or (size.with_are and Path(python).exists()):
                command = [python, "-c", code.format(statement=statement, load=load)]
                done = subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()[-2:]
                seconds, megabytes = float(done[0]), int(done[1]) / 1024
                before = seen.get(name, (seconds, megabytes))
                seen[name] = min(seconds, before[0]), min(megabytes, before[1])
    return seen


def _chain(count: int) -> dict[str, Any]:
    """Events one after the other: the user asks, the agent sends mails."""
    names = [f"e{number:06d}" for number in range(count - 1)]
    after = ["u", *names]
    events = [build_world_event(name, after=(before,)) for before, name in zip(after, names, strict=False)]
    file = build_scenario_file(
        build_world_event("u", "USER", delay=0),
        *events,
        duration=float(count + 10),
        time_increment_in_seconds=1,
        seed=0,
    )
    return file | {"world_logs": [], "context": None, "augmentation": None}


def _enlarge_universe(size: int) -> dict[str, Any]:
    """Repeat the entities of the corpus's universe under other ids until the file has that size."""
    apps: list[Any] = [each for each in load_universe() if each["class_name"] != "VirtualFileSystem"]
    text = json.dumps(apps)
    copies = 0
    while len(json.dumps(apps)) < size:
        copies += 1
        other = json.loads(_ID.sub(partial(_other_id, copies), text))
        for app, more in zip(apps, other, strict=True):
            app["app_state"] = _merge(app["app_state"], more["app_state"])
    return build_scenario_file(
        build_world_event("u", "USER", delay=0), build_reply_event("m", "u"), time_increment_in_seconds=1, seed=0
    ) | {"apps": apps}


def _other_id(salt: int, match: re.Match[str]) -> str:
    return blake2b(f"{match[0]}{salt}".encode(), digest_size=16).hexdigest()


def _merge(one: Any, other: Any) -> Any:
    if isinstance(one, dict) and isinstance(other, dict):
        mine, more = cast("dict[str, Any]", one), cast("dict[str, Any]", other)
        shared = {key: _merge(value, more[key]) if key in more else value for key, value in mine.items()}
        return shared | {key: value for key, value in more.items() if key not in mine}
    if isinstance(one, list) and isinstance(other, list):
        mine, more = cast("list[Any]", one), cast("list[Any]", other)
        return [*mine, *more] if mine and isinstance(mine[0], dict) else mine
    return cast("Any", one)


def _play(world: World) -> None:
    world.tick()
    world.take_notifications()
    while world.status == "RUNNING" and world.elapsed < 300:
        world.call("SystemApp", "wait_for_notification", {"timeout": 60})
        world.take_notifications()
        world.call("Emails", "list_emails", {"folder_name": "INBOX"})


def _our_run(text: str) -> float:
    world = World(read_scenario(text))
    return _time_call(world.run_oracle)


def _their_run(are: Are, text: str) -> float:
    return are.do_job("speed", scenario=text, run=True)["run"]


def _both(found: dict[str, float]) -> float:
    return found["parse"] + found["init"]


def _time_call(act: Callable[[], object]) -> float:
    gc.collect()
    start = time.perf_counter()
    act()
    return time.perf_counter() - start


def _best(ours: Callable[[], float], theirs: Callable[[], float] | None, size: Size) -> tuple[float, float]:
    """The best time of each, run in turns; 0 for a side that is not there."""
    times: list[tuple[float, float]] = [(ours(), theirs() if theirs is not None else 0.0) for _ in range(size.rounds)]
    return min(mine for mine, _ in times), min(other for _, other in times)


def _are(size: Size) -> Are | None:
    if not size.with_are:
        print("  (our side only)")
        return None
    if ARE_PYTHON.exists():
        return Are(str(ARE_PYTHON))
    print("  (without the ARE package: `make are-parity` installs it)")
    return None


def _close(are: Are | None) -> None:
    if are is not None:
        are.close()


_BENCHMARKS = {
    "oracle": oracle,
    "scale": scale,
    "read": measure_reading,
    "agent": agent,
    "memory": memory,
    "import": imports,
}

if __name__ == "__main__":
    stated = arguments.read(__doc__, list(_BENCHMARKS))
    for name in stated.benchmarks or _BENCHMARKS:
        _BENCHMARKS[name](QUICK if stated.quick else Size())

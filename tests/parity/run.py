"""Compares the engine and the apps with the real ARE package on generated inputs: `make are-parity`.

    python tests/parity/run.py ARE_PYTHON [--seed N] [--count N]

Four comparisons: oracle runs of generated scenarios, which go through our export first; calls of arbitrary tools with
arbitrary arguments; agents that wait, send messages and let time pass; and exports of the package, read and run by us.
"""

from __future__ import annotations

import argparse
import json
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from are_normal_form import IdNumbering, normalize, to_json_view
from parity.scenario_generator import ScenarioGenerator
from scenario_corpus import load_universe

from adk_agent_sim.scenario import JsonScenarioImporter, ScenarioImportedFromJson, World
from adk_agent_sim.scenario.format.are_conversion import convert_to_are
from adk_agent_sim.scenario.format.exporter import serialize_trace
from adk_agent_sim.scenario.format.models import to_json_value
from adk_agent_sim.scenario.world.snapshot import diff_values

_FALSY = ("", "[]", "{}", "0", "0.0", "False", "()")
"""Return values that the package does not record but we do; see `docs/are-differences.md`."""


_EMPTY = "Non-optional type str cannot be None or empty."
"""The package refuses some of its own exports with this error: an argument is an empty text."""


_FOLDER = re.compile(r"/tmp/are_simulation_sandbox_\w+/are_simulation_fs_sandbox_\w+")  # noqa: S108
"""Where the package stores a scenario's files."""


class RefusedByAre(Exception):
    """The package refuses a generated scenario or crashes on it."""


class Are:
    """The ARE package in its own process."""

    def __init__(self, python: str) -> None:
        script = Path(__file__).with_name("are_side.py")
        self._process = subprocess.Popen(
            [python, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )

    def does(self, kind: str, **job: Any) -> dict[str, Any]:
        """Return the outcome of a job."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"kind": kind, **job}) + "\n")
        self._process.stdin.flush()
        outcome = json.loads(self._process.stdout.readline())
        if "refused" in outcome and kind != "load":
            raise RefusedByAre(outcome["refused"])
        return outcome

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=30)


def read(text: str) -> ScenarioImportedFromJson:
    """Read a scenario from JSON text."""
    return JsonScenarioImporter().import_from_json(json_str=text)[0]


def compare_oracle(are: Are, generator: ScenarioGenerator, number: int) -> Iterator[str]:
    """Run a generated scenario on both sides, then load each side's export on the other."""
    file = generator.oracle(number)
    text = serialize_trace(convert_to_are(read(json.dumps(file)).trace)[0])
    theirs = are.does("oracle", scenario=text)
    if theirs["died"]:
        raise RefusedByAre
    world = World(read(text))
    world.run_oracle()
    ours = [to_json_value(each) for each in world.export_completed_events()]
    yield from _differences(
        _run_form(ours, to_json_view(world.state()), file), _run_form(theirs["events"], theirs["states"], file)
    )
    loaded = are.does("load", scenario=serialize_trace(convert_to_are(world.export_trace())[0]))
    if loaded.get("completed") != len(ours) and _EMPTY not in loaded.get("refused", ""):
        yield f"our trace does not load there: {loaded}"
    again = World(read(theirs["export"]))
    again.run_oracle()
    events = [to_json_value(each) for each in again.export_completed_events()]
    yield from _differences(
        _run_form(events, to_json_view(again.state()), file),
        _run_form(theirs["events"], theirs["states"], file),
        "their export",
    )


def compare_calls(are: Are, generator: ScenarioGenerator, number: int) -> Iterator[str]:
    """Make the same calls on both sides."""
    text = json.dumps(generator.oracle(number))
    made = generator.calls(40)
    theirs = are.does("calls", scenario=text, calls=made)
    world = World(read(text))
    ours, other = IdNumbering(generator.apps), IdNumbering(generator.apps)
    for call, answer in zip(made, theirs["answers"], strict=True):
        world.set_time(call["t"])
        outcome = world.try_call(call["app"], call["fn"], call["args"])
        value: Any = to_json_view(outcome.value)
        if outcome.error is not None:
            mine: Any = [type(outcome.error).__name__, str(outcome.error)]
            expected = answer.get("error") or answer
        else:
            mine, expected = value, answer.get("value", answer)
        expected = json.loads(_FOLDER.sub("<FSROOT>", json.dumps(expected)))
        if call["fn"] in ("get_all_tags", "ls") and outcome.error is None:
            mine, expected = sorted(mine, key=str), sorted(expected, key=str)
        ours.number_new_ids(mine)
        other.number_new_ids(expected)
        if normalize(mine, ours) != normalize(expected, other) and not _is_random(call["fn"]):
            details = f"\n    ours   {normalize(mine, ours)!r:.300}\n    theirs {normalize(expected, other)!r:.300}"
            yield f"{call['app']}__{call['fn']}({call['args']}):{details}"
    states = to_json_view(world.state())
    ours.number_new_ids(states)
    other.number_new_ids(theirs["states"])
    yield from _differences({"states": normalize(states, ours)}, {"states": normalize(theirs["states"], other)})


def compare_agent(are: Are, generator: ScenarioGenerator, number: int) -> Iterator[str]:
    """Play the same agent on both sides."""
    file = generator.oracle(number)
    level = generator.random.choice(("LOW", "MEDIUM", "HIGH"))
    steps = generator.steps()
    theirs = are.does("agent", scenario=json.dumps(file), level=level, steps=steps)
    world = World(read(json.dumps(file)), notifications=level)
    world.tick()
    notifications = [_take_notifications(world)]
    world.set_time(0.25)
    times = [0.25]
    for step in steps:
        if step["op"] == "sleep":
            for _ in range(step["seconds"]):
                world.set_time(world.elapsed + 1)
                world.tick()
        else:
            world.try_call(step["app"], step["fn"], step["args"])
        notifications.append(_take_notifications(world))
        times.append(world.elapsed)
    start = world.scenario.start_time or 0
    log = [
        [round(each.time - start, 6), each.kind, each.event_id, each.function, each.error is None]
        for each in world.event_log()
    ]
    ids, other = IdNumbering([generator.apps, file["events"]]), IdNumbering([generator.apps, file["events"]])
    ids.number_new_ids(notifications)
    other.number_new_ids(theirs["notifications"])
    yield from _differences(
        normalize({"times": times, "notifications": notifications, "log": _by_time(log)}, ids),
        normalize(
            {"times": theirs["times"], "notifications": theirs["notifications"], "log": _by_time(theirs["log"])}, other
        ),
    )


def _by_time(log: list[Any]) -> list[Any]:
    """Sort a log so that the order at equal times and the ids of agent events do not matter."""
    return sorted([time, kind, "" if kind == "AGENT" else name, function, ok] for time, kind, name, function, ok in log)


def _take_notifications(world: World) -> list[Any]:
    return [[each.elapsed_seconds, each.kind, each.text] for each in world.take_notifications()]


def _is_random(function: str) -> bool:
    """Return whether a tool's result is random."""
    return function in (
        "get_quotation",
        "list_rides",
        "order_ride",
        "get_ride",
        "get_ride_history",
        "get_current_ride_status",
    )


def _run_form(events: list[Any], states: Any, file: dict[str, Any]) -> dict[str, Any]:
    ids = IdNumbering([file["apps"], file["events"]])
    rows: list[Any] = []
    for event in sorted(events, key=lambda each: (each["event_time"], each["event_id"])):
        action, metadata = event["action"], event["metadata"]
        value = None if metadata["return_value"] in _FALSY else metadata["return_value"]
        args = {each["name"]: [each["value"], each["value_type"]] for each in action["args"]}
        if action["function"].endswith("_by_attendee"):
            args.pop("attendees", None)  # the package modifies the list that it was given
        ids.number_new_ids(list(args.values()))
        ids.number_new_ids(value)
        kind = metadata["return_value_type"] if value is not None else None
        rows.append(
            [
                event["event_id"],
                event["event_type"],
                event["event_time"],
                action["function"],
                action["operation_type"],
                args,
                value,
                kind,
                metadata["exception"],
            ]
        )
    ids.number_new_ids(states)
    order = [event["event_id"] for event in events]
    return normalize({"order": order, "events": rows, "states": states}, ids)


def _differences(ours: Any, theirs: Any, path: str = "") -> Iterator[str]:
    for change in diff_values(ours, theirs):
        where = ".".join(map(str, (path, *change.path)))
        yield f"{where}: {change.op}\n    ours   {change.old!r:.400}\n    theirs {change.new!r:.400}"


def main() -> int:
    """Compare, and print the differences and their number."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("python", help="a Python interpreter with the ARE package")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=60, help="number of runs of each comparison")
    parser.add_argument("--only", choices=["oracle", "calls", "agent"])
    given = parser.parse_args()
    are = Are(given.python)
    apps = load_universe()
    failed = 0
    for name, compare in (("oracle", compare_oracle), ("calls", compare_calls), ("agent", compare_agent)):
        if given.only not in (None, name):
            continue
        wrong = refused = 0
        for number in range(given.seed, given.seed + given.count):
            try:
                found = list(compare(are, ScenarioGenerator(apps, number), number))
            except RefusedByAre:
                refused += 1
                continue
            wrong += bool(found)
            for each in found[:5]:
                print(f"{name} {number}: {each}")
        equal = given.count - wrong - refused
        print(f"{name}: {equal} of {given.count} equal, {wrong} different, {refused} refused by the package")
        failed += wrong
    are.close()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

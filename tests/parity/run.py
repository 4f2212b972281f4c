"""Compares this engine and its apps with the real ARE package, live, on what is made from a seed: `make are-parity`.

    python tests/parity/run.py ARE_PYTHON [--seed N] [--count N]

Four comparisons: oracle runs of made scenarios, which go through our export first; calls of any tools with any
arguments; agents that wait, talk and let time pass; and what the package exports, read and built by us.
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
from parity.making import Making
from scenario_corpus import load_universe

from adk_agent_sim.scenario import JsonScenarioImporter, ScenarioImportedFromJson, World
from adk_agent_sim.scenario.format.are_conversion import convert_to_are
from adk_agent_sim.scenario.format.exporter import serialize_trace
from adk_agent_sim.scenario.format.models import to_json_value
from adk_agent_sim.scenario.world.snapshot import diff_values

_FALSY = ("", "[]", "{}", "0", "0.0", "False", "()")
"""What the package does not write down; `docs/are-differences.md` says that we do."""


_EMPTY = "Non-optional type str cannot be None or empty."
"""Why the package refuses some of its own exports: an argument is an empty text."""


_FOLDER = re.compile(r"/tmp/are_simulation_sandbox_\w+/are_simulation_fs_sandbox_\w+")  # noqa: S108
"""Where the package keeps a scenario's files."""


class Refused(Exception):
    """The package does not take a made scenario, or dies of it."""


class Are:
    """The package, in a process of its own."""

    def __init__(self, python: str) -> None:
        script = Path(__file__).with_name("are_side.py")
        self._process = subprocess.Popen(
            [python, str(script)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )

    def does(self, kind: str, **job: Any) -> dict[str, Any]:
        """The outcome of a job."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps({"kind": kind, **job}) + "\n")
        self._process.stdin.flush()
        outcome = json.loads(self._process.stdout.readline())
        if "refused" in outcome and kind != "load":
            raise Refused(outcome["refused"])
        return outcome

    def close(self) -> None:
        """End the process."""
        assert self._process.stdin is not None
        self._process.stdin.close()
        self._process.wait(timeout=30)


def read(text: str) -> ScenarioImportedFromJson:
    """A scenario of a text."""
    return JsonScenarioImporter().import_from_json(json_str=text)[0]


def compare_oracle(are: Are, making: Making, number: int) -> Iterator[str]:
    """Run a made scenario on both sides; then give each side what the other wrote."""
    file = making.oracle(number)
    text = serialize_trace(convert_to_are(read(json.dumps(file)).trace)[0])
    theirs = are.does("oracle", scenario=text)
    if theirs["died"]:
        raise Refused
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


def compare_calls(are: Are, making: Making, number: int) -> Iterator[str]:
    """Make the same calls on both sides."""
    text = json.dumps(making.oracle(number))
    made = making.calls(40)
    theirs = are.does("calls", scenario=text, calls=made)
    world = World(read(text))
    ours, other = IdNumbering(making.apps), IdNumbering(making.apps)
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
        if normalize(mine, ours) != normalize(expected, other) and not _by_chance(call["fn"]):
            said = f"\n    ours   {normalize(mine, ours)!r:.300}\n    theirs {normalize(expected, other)!r:.300}"
            yield f"{call['app']}__{call['fn']}({call['args']}):{said}"
    states = to_json_view(world.state())
    ours.number_new_ids(states)
    other.number_new_ids(theirs["states"])
    yield from _differences({"states": normalize(states, ours)}, {"states": normalize(theirs["states"], other)})


def compare_agent(are: Are, making: Making, number: int) -> Iterator[str]:
    """Play the same agent on both sides."""
    file = making.oracle(number)
    level = making.chance.choice(("LOW", "MEDIUM", "HIGH"))
    steps = making.steps()
    theirs = are.does("agent", scenario=json.dumps(file), level=level, steps=steps)
    world = World(read(json.dumps(file)), notifications=level)
    world.tick()
    told = [_told(world)]
    world.set_time(0.25)
    times = [0.25]
    for step in steps:
        if step["op"] == "sleep":
            for _ in range(step["seconds"]):
                world.set_time(world.elapsed + 1)
                world.tick()
        else:
            world.try_call(step["app"], step["fn"], step["args"])
        told.append(_told(world))
        times.append(world.elapsed)
    start = world.scenario.start_time or 0
    log = [
        [round(each.time - start, 6), each.kind, each.event_id, each.function, each.error is None]
        for each in world.event_log()
    ]
    ids, other = IdNumbering([making.apps, file["events"]]), IdNumbering([making.apps, file["events"]])
    ids.number_new_ids(told)
    other.number_new_ids(theirs["told"])
    yield from _differences(
        normalize({"times": times, "told": told, "log": _by_time(log)}, ids),
        normalize({"times": theirs["times"], "told": theirs["told"], "log": _by_time(theirs["log"])}, other),
    )


def _by_time(log: list[Any]) -> list[Any]:
    """A log whose order at one time does not count, nor the ids of what the agent did."""
    return sorted([time, kind, "" if kind == "AGENT" else name, function, ok] for time, kind, name, function, ok in log)


def _told(world: World) -> list[Any]:
    return [[each.elapsed_seconds, each.kind, each.text] for each in world.take_notifications()]


def _by_chance(function: str) -> bool:
    """Whether a tool's answer is drawn by chance."""
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
            args.pop("attendees", None)  # the package adds to the list that it was given
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
    """Compare, print what differs, and count."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("python", help="a Python that has the package")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=60, help="of each comparison")
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
                found = list(compare(are, Making(apps, number), number))
            except Refused:
                refused += 1
                continue
            wrong += bool(found)
            for each in found[:5]:
                print(f"{name} {number}: {each}")
        alike = given.count - wrong - refused
        print(f"{name}: {alike} of {given.count} alike, {wrong} not, {refused} refused by the package")
        failed += wrong
    are.close()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

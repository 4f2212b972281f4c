"""Compares our judge with that of the real ARE package on mutated traces; part of `make are-parity`.

    python tests/parity/judge_parity.py ARE_PYTHON [--seed N] [--count N]

Scenarios are those of the corpus and generated ones, some with other times, comparators and additional checks. Each
trace is the oracle's run with up to three mutations, and is judged in three ways: without soft checks, and with a model
that always answers yes or no.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections import Counter
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from judge_corpus import SOFT_JUDGES, read_file
from parity.are_process import Are, RefusedByAre
from parity.scenario_generator import ScenarioGenerator
from scenario_corpus import load_scenarios, load_universe
from trace_mutations import MUTATIONS, TraceEvents, mutate

from adk_agent_sim.errors import NotJudgeable
from adk_agent_sim.scenario import Judge, ScenarioImportedFromJson

TRACES_PER_SCENARIO = 40

_CHECKERS = (
    "eq_checker", "unordered_list_checker", "path_checker", "unordered_path_list_checker", "datetime_checker",
    "phone_number_checker", "eq_str_strip_checker", "list_attendees_checker", "contain_any_checker",
    "contain_all_checker",
)  # fmt: skip


@dataclass(kw_only=True)
class ParityCount:
    """The outcome of a comparison."""

    equal: int = 0
    different: list[str] = field(default_factory=list[str])
    raised: Counter[str] = field(default_factory=Counter[str])
    """Verdicts where the package raised instead, by its exception."""
    refused: Counter[str] = field(default_factory=Counter[str])
    """Scenarios that the package refuses, by its reason; where its oracle fails, ours must fail, too."""
    passed: int = 0


def compare_judges(python: str, seed: int, count: int) -> ParityCount:
    """Judge traces with both judges.

    Args:
        python: A Python interpreter with the ARE package.
        seed: The seed of scenarios and traces.
        count: The number of traces.
    """
    are = Are(python, "are_judge_side.py")
    found = ParityCount()
    compared, number = 0, seed
    try:
        while compared < count:
            random = Random(number)  # noqa: S311 - test data
            try:
                compared += _compare_scenario(are, number, random, found)
            except RefusedByAre as error:
                found.refused[str(error).partition("[")[0][:60]] += 1
                if found.refused.total() > 100 + count:
                    raise AssertionError("The package refuses all scenarios.") from error
            number += 1
    finally:
        are.close()
    return found


def _compare_scenario(are: Are, number: int, random: Random, found: ParityCount) -> int:
    file = _make_scenario(number, random)
    params = _make_params(file, random)
    scenario = read_file(file)
    try:
        prepared = are.do_job("prepare", scenario=json.dumps(file), params=params)
    except RefusedByAre as error:
        if "Oracle run failed" in str(error) and _is_judgeable(scenario):
            found.different.append(f"scenario {number}: only the package's oracle fails: {error}")
        raise
    try:
        judges = {
            kind: Judge(scenario, soft=soft, checker_params=params if kind == "scripted" else None)
            for kind, soft in SOFT_JUDGES.items()
        }
    except NotJudgeable as error:
        found.different.append(f"scenario {number}: {error}")
        return 1
    perfect = _clean(prepared["events"])
    traces = list(_make_traces(perfect, random))
    for names, trace in traces:
        try:
            theirs = are.do_job("judge", events=trace)
        except RefusedByAre as error:
            found.raised[f"import: {str(error).partition(':')[0]}"] += 1
            theirs = {kind: {"raised": "import"} for kind in judges}
        ours = read_file({**file, "apps": [], "completed_events": trace})
        for kind, judge in judges.items():
            _compare_verdict(judge, ours, theirs[kind], f"scenario {number}, {'+'.join(names)}, {kind}", found)
    return len(traces)


def _is_judgeable(scenario: ScenarioImportedFromJson) -> bool:
    try:
        Judge(scenario)
    except NotJudgeable:
        return False
    return True


def _compare_verdict(judge: Judge, trace: Any, theirs: dict[str, Any], name: str, found: ParityCount) -> None:
    verdict = judge.judge(trace)
    json.dumps(verdict.to_json())
    assert str(verdict)
    found.passed += verdict.passed
    if "raised" in theirs:
        found.raised[theirs["raised"].partition(":")[0]] += 1
        return
    turn = max(each.number - 1 for each in verdict.turns if each.status != "not judged")
    ours = {"passed": verdict.passed, "turn": turn, "matches": dict(verdict.matches)}
    if ours == theirs:
        found.equal += 1
    else:
        found.different.append(f"{name}\n    ours   {ours}\n    theirs {theirs}\n    {verdict.reason}")


def _make_scenario(number: int, random: Random) -> dict[str, Any]:
    corpus = load_scenarios()
    names = list(corpus)
    if number % 2:
        file = deepcopy(corpus[names[number // 2 % len(names)]])
    else:
        file = ScenarioGenerator(load_universe(), number).oracle(number)
    for event in file["events"]:
        if event["event_type"] == "AGENT" and random.random() < 0.25:
            _change_time(event, file["metadata"]["definition"]["start_time"], random)
    if random.random() < 0.3:
        _add_dependency(file["events"], random)
    return file


def _add_dependency(events: list[dict[str, Any]], random: Random) -> None:
    """Let an expected action depend on another one before it, maybe of an earlier turn."""
    actions = [
        each
        for each in events
        if each["event_type"] == "AGENT" and each["action"]["function"] != "send_message_to_user"
    ]
    if len(actions) > 1:
        first, second = sorted(random.sample(range(len(actions)), 2))
        known = actions[second]["dependencies"]
        actions[second]["dependencies"] = list(dict.fromkeys([*known, actions[first]["event_id"]]))


def _change_time(event: dict[str, Any], start: float, random: Random) -> None:
    kind = random.choice(("comparator", "delay", "absolute"))
    if kind == "comparator":
        event["event_time_comparator"] = random.choice(("LESS_THAN", "GREATER_THAN", "EQUAL"))
    elif kind == "delay":
        event["event_relative_time"] = random.choice((0.0, 1.0, 1.5, 5.0, 30.0))
    else:
        event["event_relative_time"] = None
        event["event_time"] = start + random.choice((20.0, 60.0, 200.0))


def _make_params(file: dict[str, Any], random: Random) -> dict[str, Any]:
    """Return additional checks for some expected events."""
    classes = {each["name"]: each["class_name"] for each in file["apps"]}
    params: dict[str, Any] = {}
    for event in file["events"]:
        action = event["action"]
        given = [each for each in action["args"] if each["value"]]
        if event["event_type"] != "AGENT" or not given or random.random() < 0.6:
            continue
        argument, checker = random.choice(given), random.choice(_CHECKERS)
        words = argument["value"].split() or ["x"]
        options = {"targets": [random.choice((words[0].upper(), "absent")), words[-1]]}
        tool = f"{classes.get(action['app'], action['app'])}__{action['function']}"
        params[event["event_id"]] = [
            {
                "arg_name": argument["name"],
                "checker_type": checker,
                "tool_name": random.choice((tool, tool, "CabApp__order_ride")),
                "checker_args": options if checker.startswith("contain") else {},
            }
        ]
    return params


def _make_traces(perfect: TraceEvents, random: Random) -> Iterator[tuple[list[str], TraceEvents]]:
    yield ["perfect"], perfect
    for _ in range(TRACES_PER_SCENARIO - 1):
        trace: TraceEvents | None = perfect
        names = random.choices(list(MUTATIONS), k=random.choice((1, 1, 2, 3)))
        for name in names:
            trace = mutate(trace, name, random) if trace else None
        if trace:
            yield names, trace


def _clean(events: TraceEvents) -> TraceEvents:
    """Return events that the package can import: it refuses empty texts."""
    for argument in (argument for each in events for argument in each["action"]["args"]):
        if argument["value"] == "":
            argument |= {"value": None, "value_type": None}
    return events


def main() -> int:
    """Compare, and print the differences and their number."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("python", help="a Python interpreter with the ARE package")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--count", type=int, default=400, help="number of traces, each judged three times")
    given = parser.parse_args()
    found = compare_judges(given.python, given.seed, given.count)
    for each in found.different[:20]:
        print(f"judge: {each}")
    raised = ", ".join(f"{name} {count}" for name, count in found.raised.most_common())
    for reason, times in found.refused.most_common():
        print(f"judge: refused {times} times: {reason}")
    print(
        f"judge: {found.equal} verdicts equal, {len(found.different)} different, {found.passed} passed, "
        f"{found.refused.total()} scenarios refused by the package; it raised: {raised or 'never'}"
    )
    return 1 if found.different else 0


if __name__ == "__main__":
    sys.exit(main())

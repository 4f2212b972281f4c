"""Compares the apps and the engine with the real ARE package on generated inputs: `make are-parity`.

    python tests/parity/run.py ARE_PYTHON [--seed N] [--calls N] [--graphs N] [--agents N] [--jobs N]
    python tests/parity/run.py ARE_PYTHON --record CASES.jsonl

Calls of every tool with valid and invalid arguments; oracle runs of event graphs, after which each side reads the
other's export; and agents that wait, send messages and let time pass. A difference that `docs/are-differences.md` does
not list is shrunk to the smallest case and printed, and the case is written to a file that `--record` takes. The gate
repeats recorded cases without the package.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st
from parity.are_process import Are, RefusedByAre
from parity.call_strategies import call_cases
from parity.comparison import compare_answers, simplify
from parity.graph_comparison import compare_agents, compare_exported_apps, compare_graphs
from parity.graph_strategies import agent_cases, graph_cases
from parity.our_calls import answer_calls, build_file
from parity.our_graphs import build_graph_file, run_agent, run_graph
from scenario_corpus import ARE_FOLDER

_EMPTY = "Non-optional type str cannot be None or empty."
"""The package refuses some of its own exports with this error: an argument is an empty text."""

CORPUS = {"calls": "parity_calls.jsonl", "graphs": "parity_graphs.jsonl"}
"""The recorded cases of each kind."""


@dataclass(kw_only=True)
class Comparison:
    """One kind of comparison, and what it has compared so far."""

    are: Are

    name: str

    compared: int = 0
    """Calls, graphs or agents."""

    refused: int = 0
    """Cases that the package does not accept."""

    refusal: str = ""
    """Why it did not accept the last of them."""

    failing_case: Any = None
    """The smallest case that differs."""

    differences: list[str] = field(default_factory=list[str])

    def compare(self, case: Mapping[str, Any]) -> list[str]:
        """Return the differences of a case, and count it."""
        functions: dict[str, Callable[[Are, Mapping[str, Any]], Iterator[str]]] = {
            "calls": _compare_calls,
            "graphs": _compare_graph,
            "agents": _compare_agent,
        }
        try:
            found = list(functions[self.name](self.are, case))
        except RefusedByAre as error:
            self.refused, self.refusal = self.refused + 1, str(error)
            return []
        self.compared += len(case["calls"]) if self.name == "calls" else 1
        return found

    def search(self, strategy: st.SearchStrategy[Any], wanted: int, first_seed: int) -> bool:
        """Compare generated cases until so many were compared; return whether all are equal.

        A difference is printed and its case written to a file.
        """
        number = first_seed
        while self.compared < wanted and not self.differences:
            before = self.compared
            self._search_from(strategy, min(100, max(20, wanted - self.compared)), number)
            print(f"{self.name}: {self.compared} compared after seed {number}", file=sys.stderr)
            number += 1
            if self.compared == before:
                print(f"{self.name}: with seed {number - 1}, the package refused all cases: {self.refusal}")
                return False
        if self.differences:
            path = Path(f"parity-{self.name}-{number - 1}.jsonl")
            path.write_text(json.dumps(self.failing_case) + "\n", encoding="utf-8")
            print(f"{self.name}: with seed {number - 1}, this case differs, which is in {path}:")
            print("\n".join(self.differences[:5]))
            return False
        return True

    def _search_from(self, strategy: st.SearchStrategy[Any], examples: int, number: int) -> None:
        @seed(number)
        @settings(
            max_examples=examples,
            database=None,
            deadline=None,
            phases=[Phase.generate, Phase.shrink],
            suppress_health_check=[*HealthCheck],  # pyright: ignore[reportArgumentType]
        )
        @given(strategy)
        def check(case: Any) -> None:
            found = self.compare(case)
            if found:
                self.failing_case, self.differences = case, found
                raise AssertionError

        try:
            check()
        except AssertionError:
            return


def _compare_calls(are: Are, case: Mapping[str, Any]) -> Iterator[str]:
    theirs = _ask_for_answers(are, case)
    for difference in compare_answers(case, answer_calls(case["apps"], case["calls"]), theirs):
        yield str(difference)


def _compare_graph(are: Are, case: Mapping[str, Any]) -> Iterator[str]:
    theirs = are.do_job("graph", scenario=build_graph_file(case), watches=case["watches"])
    ours = run_graph(case)
    yield from compare_graphs(case, ours, theirs)
    if theirs["export"] is None:
        return
    yield from compare_exported_apps(ours["export"], theirs["export"])
    loaded = are.do_job("load", scenario=ours["export"])
    is_refused = _EMPTY in loaded.get("refused", "") or _is_refused_alike(are, loaded, theirs["export"])
    if loaded.get("completed") != len(ours["log"]) and not is_refused:
        yield f"our trace does not load there: {loaded}"
    if "{{" not in json.dumps(case["events"]):  # its export has the ids of its own run in place of placeholders
        yield from compare_graphs(case, run_graph(case, file=theirs["export"]), theirs)


def _is_refused_alike(are: Are, loaded: Mapping[str, Any], their_export: str) -> bool:
    """Return whether the package refuses its own export of the run with the same error."""
    refusal = loaded.get("refused")
    return refusal is not None and are.do_job("load", scenario=their_export).get("refused") == refusal


def _compare_agent(are: Are, case: Mapping[str, Any]) -> Iterator[str]:
    text = build_file(case["apps"], case["events"])
    theirs = are.do_job("agent", scenario=text, level=case["level"], steps=case["steps"])
    yield from compare_agents(case, run_agent(case), theirs)


def _ask_for_answers(are: Are, case: Mapping[str, Any]) -> list[Any]:
    file = build_file(case["apps"])
    return are.do_job("calls", scenario=file, apps=case["apps"], calls=case["calls"])["answers"]


def record_cases(are: Are, cases: list[dict[str, Any]]) -> None:
    """Append cases to the corpus, with what the package answers."""
    for case in cases:
        kind = "calls" if "calls" in case else "graphs"
        if kind == "calls":
            recorded = case | {"answers": simplify(_ask_for_answers(are, case))}
        else:
            job = {"scenario": build_graph_file(case), "watches": case["watches"]}
            recorded = case | {"run": simplify(are.do_job("graph", **job) | {"export": None})}
        with (ARE_FOLDER / CORPUS[kind]).open("a", encoding="utf-8") as file:
            file.write(json.dumps(recorded, separators=(",", ":")) + "\n")


@dataclass(frozen=True, kw_only=True)
class SearchTask:
    """A part of the comparison that runs in a process of its own."""

    python: str
    name: str
    wanted: int
    first_seed: int

    def run(self) -> tuple[bool, int, int]:
        """Return whether all cases are equal, how many were compared, and how many the package refused."""
        strategies = {"calls": call_cases, "graphs": graph_cases, "agents": agent_cases}
        are = Are(self.python)
        comparison = Comparison(are=are, name=self.name)
        is_equal = comparison.search(strategies[self.name](), self.wanted, self.first_seed)
        are.close()
        return is_equal, comparison.compared, comparison.refused


_PARTS = {"graphs": 4, "agents": 2, "calls": 4}
"""Into how many tasks each kind is divided."""

_SEEDS_PER_PART = 100_000


def compare_all(python: str, wanted: Mapping[str, int], first_seed: int, jobs: int) -> bool:
    """Compare so many cases of each kind, in so many processes; print the counts and return whether all are equal."""
    tasks = [
        SearchTask(
            python=python,
            name=name,
            wanted=-(-wanted[name] // count),
            first_seed=first_seed + part * _SEEDS_PER_PART,
        )
        for name, count in _PARTS.items()
        for part in range(count)
    ]
    with ProcessPoolExecutor(max_workers=jobs, mp_context=get_context("spawn")) as executor:
        results = list(executor.map(SearchTask.run, tasks))
    for name in _PARTS:
        found = [result for task, result in zip(tasks, results, strict=True) if task.name == name]
        verdict = "all equal" if all(is_equal for is_equal, _, _ in found) else "with differences"
        compared, refused = (sum(result[index] for result in found) for index in (1, 2))
        print(f"{name}: {compared} compared, {verdict}; {refused} cases refused by the package")
    return all(is_equal for is_equal, _, _ in results)


def main() -> int:
    """Compare, or record; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("python", help="a Python interpreter with the ARE package")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--calls", type=int, default=2000)
    parser.add_argument("--graphs", type=int, default=100)
    parser.add_argument("--agents", type=int, default=50)
    parser.add_argument("--jobs", type=int, default=2, help="how many processes compare at the same time")
    parser.add_argument("--record", type=Path, metavar="CASES", help="a file of cases to add to the corpus")
    given_arguments = parser.parse_args()
    if given_arguments.record:
        are = Are(given_arguments.python)
        lines = given_arguments.record.read_text(encoding="utf-8").splitlines()
        record_cases(are, [json.loads(line) for line in lines])
        are.close()
        return 0
    wanted = {name: getattr(given_arguments, name) for name in _PARTS}
    is_equal = compare_all(given_arguments.python, wanted, given_arguments.seed, given_arguments.jobs)
    return 0 if is_equal else 1


if __name__ == "__main__":
    sys.exit(main())

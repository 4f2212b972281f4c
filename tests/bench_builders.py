"""Builds results of benches for tests of statistics and reports, without running any agent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from adk_agent_sim.bench.bench_result import BenchResult, Outcome
from adk_agent_sim.timeline.seeded_random import draw_uniform

_REASONS = (
    "Turn 1: EmailClient__send_email is missing (event_{n})",
    "Turn 2: the number of calls differs: Calendar__add_event (expected 1, got {n})",
    "Turn 1: Calendar__add_event (event_{n}): start: expected 2024-10-{n}, got 2024-11-02 (exact)",
    "Turn 3: a text was rejected",
)
_AGENTS = ("baseline", "planner", "reflexive", "planner-with-a-long-name")
_TAGS = ("search", "execution", "adaptability", "time", "ambiguity")


def build_result(outcome: Outcome = "passed", **fields: Any) -> BenchResult:
    """Build a result; `a` in `s1` unless other fields are given."""
    return BenchResult.model_validate(
        {"scenario": "s1", "agent": "a", "outcome": outcome, "passed": outcome == "passed", **fields}
    )


def build_runs(scenario: str, outcomes: str, **fields: Any) -> list[BenchResult]:
    """Build a run per character: `+` passed, `-` failed, `!` error, `t` timeout, `?` not judged."""
    kinds: dict[str, Outcome] = {"+": "passed", "-": "failed", "!": "error", "t": "timeout", "?": "not_judged"}
    return [
        build_result(kinds[each], scenario=scenario, run=number, **fields)
        for number, each in enumerate(outcomes, start=1)
    ]


def iter_large_bench(agents: int = 4, scenarios: int = 833, runs: int = 3) -> Iterator[BenchResult]:
    """Yield the results of a bench of agents of different quality in scenarios of different difficulty."""
    for scenario in range(scenarios):
        difficulty = draw_uniform(1, "difficulty", scenario)
        for agent in range(agents):
            for run in range(1, runs + 1):
                yield _draw_result(scenario, agent, run, difficulty)


def write_results(folder: Path, results: Iterable[BenchResult]) -> Path:
    """Write the results file of a bench and return its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    lines = "".join(f"{each.model_dump_json()}\n" for each in results)
    (folder / "results.jsonl").write_text(lines, encoding="utf-8")
    return folder


def _draw_result(scenario: int, agent: int, run: int, difficulty: float) -> BenchResult:
    def draw(what: str) -> float:
        return draw_uniform(2, what, scenario, agent, run)

    passed = draw("passed") < 1.15 - difficulty + 0.12 * agent - 0.2
    luck = draw("luck")
    outcome: Outcome = "passed" if passed else "error" if luck < 0.04 else "timeout" if luck < 0.08 else "failed"
    reason = _REASONS[int(draw("reason") ** 2 * len(_REASONS))].format(n=int(luck * 30))
    failures = {"error": "The agent's run failed: TimeoutError: no answer", "timeout": "The run took over 300 s."}
    return build_result(
        outcome,
        scenario=f"universe_{scenario % 10}_scenario_{scenario:04}",
        agent=("baseline", "planner", "reflexive", "planner-with-a-long-name")[agent % 4]
        + (str(agent) if agent > 3 else ""),
        seed=run,
        run=run,
        reason="" if passed else failures.get(outcome, reason),
        tags=(_TAGS[scenario % 5], *(("noise",) if scenario % 7 == 0 else ())),
        input_tokens=int(4_000 + 30_000 * draw("in") * (1 + agent / 2)),
        output_tokens=int(200 + 3_000 * draw("out")),
        model_calls=int(2 + 20 * draw("calls")),
        tool_calls=int(1 + 30 * draw("tools")),
        simulated_seconds=round(30 + 600 * draw("simulated"), 3),
        wall_seconds=round(0.4 + 9 * draw("wall") ** 3, 3),
        report=f"runs/{scenario:04}-{agent}-{run}.html",
    )

"""`adksim scenario convert`: converts scenarios to ARE's format or EvalSet cases, and golden traces to scenarios."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from adk_agent_sim.cli.scenarios.scenario_choice import ScenarioChoice, scenario_option, write_traces
from adk_agent_sim.text.terminal_output import print_json, print_line, print_lines

if TYPE_CHECKING:
    from adk_agent_sim.scenario import ScenarioImportedFromJson
    from adk_agent_sim.scenario.format.models import Strictness

    _Converted = tuple[ScenarioImportedFromJson, Iterable[str]]
    """A scenario, and notes about what was left out to get it."""

_MAX_PRINTED = 100
"""The most lines of adaptations and notes that are printed; `--json` prints all."""


@click.command()
@click.argument("file", type=click.Path(dir_okay=False, path_type=Path))
@click.argument("output", type=click.Path(dir_okay=False, path_type=Path))
@click.option(
    "--to",
    "target",
    type=click.Choice(["scenario", "evalset"]),
    default="scenario",
    show_default=True,
    help="What to write: a scenario in ARE's format, or an EvalSet case.",
)
@scenario_option
@click.option("--case", "eval_id", help="With an EvalSet: the case to convert; required if it has several.")
@click.option(
    "--apps",
    type=click.Path(dir_okay=False, path_type=Path),
    help="With a golden trace: the scenario to copy apps, start time, duration and seed from; by default the apps are "
    "empty.",
)
@click.option(
    "--strictness",
    multiple=True,
    metavar="TOOL.ARGUMENT=HOW",
    help="With a golden trace: how to compare an expected argument (exact, any or contains). Repeatable. "
    "By default, the judge compares ids exactly, and long texts only with --judge MODEL.",
)
@click.option(
    "--fs-content",
    type=click.Path(file_okay=False, path_type=Path),
    help="The folder of the apps' files.",
)
@click.option("--json", "as_json", is_flag=True, help="Print what was written, adapted and left out as JSON.")
def convert(
    file: Path,
    output: Path,
    target: str,
    scenario_id: str | None,
    eval_id: str | None,
    apps: Path | None,
    strictness: tuple[str, ...],
    fs_content: Path | None,
    as_json: bool,
) -> None:
    """Convert FILE, scenarios or a golden trace, to OUTPUT, and report what was adapted or left out.

    The content of FILE decides. A golden trace is an EvalSet, an ADK session file, or a timeline as JSON Lines.

    \b
    adksim scenario convert described.json are.json
    adksim scenario convert described.jsonl are.jsonl
    adksim scenario convert golden.evalset.json new.json --apps world.json \\
        --strictness Emails__send_email.content=contains
    adksim scenario convert scenario.json evals/agent.evalset.json --to evalset

    A golden trace can become a scenario if its calls are tools of apps, such as Emails__send_email: the user's messages
    become events, the agent's calls become expected actions. A scenario becomes an EvalSet case by running its expected
    actions in its world; the case is appended to OUTPUT. A scenario replaces OUTPUT; several are written to a .jsonl
    file, one per line. If one of them cannot be converted, nothing is written.
    """
    from adk_agent_sim.golden.trace_kind import detect_trace_kind

    trace_options = {"--case": eval_id, "--apps": apps, "--strictness": strictness}
    if detect_trace_kind(file):
        if scenario_id is not None:
            raise click.UsageError(f"--scenario is for a file of scenarios, but {file} is a golden trace.")
        converted = [_convert_trace(file, eval_id, apps, strictness, fs_content)]
    elif given := [name for name, each in trace_options.items() if each]:
        raise click.UsageError(f"{given[0]} is for a golden trace, but {file} is a scenario.")
    else:
        choice = ScenarioChoice(file, scenario_id)
        if target == "scenario":
            choice.check_output(output)
        converted = [(scenario, ()) for scenario in _read_all(choice)]
    if target == "evalset":
        _write_cases(converted, output, fs_content, as_json=as_json)
    else:
        _write_scenarios(converted, output, as_json=as_json)


@dataclass(frozen=True)
class _Result:
    """What was written, and what was changed or left out for it."""

    id: str
    adapted: list[str]
    notes: list[str]


def _read_all(choice: ScenarioChoice) -> Iterator[ScenarioImportedFromJson]:
    from adk_agent_sim.cli.progress_bar import ProgressBar

    progress = ProgressBar("scenarios")
    try:
        for done, scenario in enumerate(choice.read_each()):
            if isinstance(scenario, Exception):
                raise scenario
            yield scenario
            progress(done + 1, len(choice))
    finally:
        progress.close()


def _convert_trace(
    file: Path, eval_id: str | None, apps: Path | None, strictness: Iterable[str], fs_content: Path | None
) -> tuple[ScenarioImportedFromJson, Iterable[str]]:
    from adk_agent_sim.adk.evals.case_to_scenario import convert_case_to_scenario
    from adk_agent_sim.adk.evals.golden_trace_loader import load_golden_trace
    from adk_agent_sim.scenario import load_scenario

    case = load_golden_trace(file, eval_id)
    world = load_scenario(apps) if apps else None
    return convert_case_to_scenario(
        case, base_scenario=world, strictness=dict(map(_parse_strictness, strictness)), fs_content=fs_content
    )


def _write_scenarios(converted: Sequence[_Converted], output: Path, *, as_json: bool) -> None:
    from adk_agent_sim.scenario.format.exporter import convert_to_are

    traces = [convert_to_are(scenario.trace) for scenario, _ in converted]
    write_traces(output, [trace for trace, _ in traces])
    results = [
        _Result(scenario.scenario_id, [*scenario.adapted, *changed], list(notes))
        for (scenario, notes), (_, changed) in zip(converted, traces, strict=True)
    ]
    _print_results(output, results, as_json=as_json)


def _write_cases(converted: Sequence[_Converted], output: Path, fs_content: Path | None, *, as_json: bool) -> None:
    from adk_agent_sim.adk.evals.scenario_to_case import convert_scenario_to_case
    from adk_agent_sim.golden.eval_set import EvalSetWriter

    cases = [convert_scenario_to_case(scenario, fs_content=fs_content) for scenario, _ in converted]
    results = [
        _Result(
            EvalSetWriter(output, scenario.scenario_id).write_eval_case(case).eval_id,
            list(scenario.adapted),
            [*notes, *more],
        )
        for (scenario, notes), (case, more) in zip(converted, cases, strict=True)
    ]
    _print_results(output, results, as_json=as_json)


def _parse_strictness(text: str) -> tuple[str, Strictness]:
    from adk_agent_sim.scenario.format.models import STRICTNESS_LEVELS

    argument, _, how = text.rpartition("=")
    for each in STRICTNESS_LEVELS:
        if each == how and "." in argument:
            return argument, each
    words = "|".join(STRICTNESS_LEVELS)
    raise click.UsageError(
        f"--strictness must be TOOL.ARGUMENT={words}, such as Emails__send_email.content=any; got {text!r}."
    )


def _print_results(output: Path, results: Sequence[_Result], *, as_json: bool) -> None:
    for each in results:
        if as_json:
            print_json({"output": str(output), "id": each.id, "adapted": each.adapted, "notes": each.notes})
            continue
        lines = [*(f"adapted: {what}" for what in each.adapted), *(f"note: {what}" for what in each.notes)]
        written = f"written: {output} ({each.id})" if len(results) > 1 else f"written: {output}"
        print_lines([written, *lines[:_MAX_PRINTED]])
        if len(lines) > _MAX_PRINTED:
            print_line(f"... and {len(lines) - _MAX_PRINTED} more; --json prints all")

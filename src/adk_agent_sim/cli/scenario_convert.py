"""`adksim scenario convert`: converts scenarios to ARE's format or EvalSet cases, and golden traces to scenarios."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from adk_agent_sim.text.terminal_output import print_json, print_line, print_lines

if TYPE_CHECKING:
    from adk_agent_sim.scenario import ScenarioImportedFromJson
    from adk_agent_sim.scenario.format.strictness import Strictness

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
@click.option("--case", "eval_id", help="With an EvalSet: the case to convert; required if it has several.")
@click.option(
    "--apps",
    type=click.Path(dir_okay=False, path_type=Path),
    help="With a trace: the scenario to copy apps, start time, duration and seed from; by default the apps are empty.",
)
@click.option(
    "--strictness",
    multiple=True,
    metavar="TOOL.ARGUMENT=HOW",
    help="With a trace: how to compare an expected argument (exact, any or contains); repeatable. "
    "By default, the judge compares ids exactly and long texts by their meaning.",
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
    eval_id: str | None,
    apps: Path | None,
    strictness: tuple[str, ...],
    fs_content: Path | None,
    as_json: bool,
) -> None:
    """Convert FILE, a scenario or a golden trace, to OUTPUT, and report what was adapted or left out.

    The content of FILE decides. A golden trace is an EvalSet, an ADK session file, or a timeline as JSON Lines.

    \b
    adksim scenario convert described.json are.json
    adksim scenario convert golden.evalset.json new.json --apps world.json \\
        --strictness Emails__send_email.content=contains
    adksim scenario convert scenario.json evals/agent.evalset.json --to evalset

    A trace can become a scenario if its calls are tools of apps, such as Emails__send_email: the user's messages become
    events, the agent's calls become expected actions. A scenario becomes an EvalSet case by running its expected
    actions in its world; the case is appended to OUTPUT. A scenario replaces OUTPUT.
    """
    from adk_agent_sim.golden.trace_kind import detect_trace_kind
    from adk_agent_sim.scenario import load_scenario

    trace_options = {"--case": eval_id, "--apps": apps, "--strictness": strictness}
    notes: Iterable[str] = ()
    if detect_trace_kind(file):
        scenario, notes = _convert_trace(file, eval_id, apps, strictness, fs_content)
    elif given := [name for name, each in trace_options.items() if each]:
        raise click.UsageError(f"{given[0]} is for a golden trace, but {file} is a scenario.")
    else:
        scenario = load_scenario(file)
    if target == "evalset":
        written, more = _write_case(scenario, output, fs_content)
        _print_result(output, written, scenario.adapted, [*notes, *more], as_json=as_json)
    else:
        changed = _write_scenario(scenario, output)
        _print_result(output, scenario.scenario_id, [*scenario.adapted, *changed], list(notes), as_json=as_json)


def _convert_trace(
    file: Path, eval_id: str | None, apps: Path | None, strictness: Iterable[str], fs_content: Path | None
) -> tuple[ScenarioImportedFromJson, Iterable[str]]:
    from adk_agent_sim.adk.case_to_scenario import convert_case_to_scenario
    from adk_agent_sim.adk.golden_trace_loader import load_golden_trace
    from adk_agent_sim.scenario import load_scenario

    case = load_golden_trace(file, eval_id)
    world = load_scenario(apps) if apps else None
    return convert_case_to_scenario(
        case, base_scenario=world, strictness=dict(map(_parse_strictness, strictness)), fs_content=fs_content
    )


def _write_scenario(scenario: ScenarioImportedFromJson, output: Path) -> Sequence[str]:
    from adk_agent_sim.scenario.format.are_conversion import convert_to_are
    from adk_agent_sim.scenario.format.exporter import serialize_trace
    from adk_agent_sim.timeline.atomic_files import atomic_write_text

    trace, changed = convert_to_are(scenario.trace)
    atomic_write_text(output, serialize_trace(trace, indent=2) + "\n")
    return changed


def _write_case(scenario: ScenarioImportedFromJson, output: Path, fs_content: Path | None) -> tuple[str, Iterable[str]]:
    from adk_agent_sim.adk.scenario_to_case import convert_scenario_to_case
    from adk_agent_sim.golden.eval_set import EvalSetWriter

    case, notes = convert_scenario_to_case(scenario, fs_content=fs_content)
    return EvalSetWriter(output, scenario.scenario_id).write_eval_case(case).eval_id, notes


def _parse_strictness(text: str) -> tuple[str, Strictness]:
    from adk_agent_sim.scenario.format.strictness import STRICTNESS_LEVELS

    argument, _, how = text.rpartition("=")
    for each in STRICTNESS_LEVELS:
        if each == how and "." in argument:
            return argument, each
    words = "|".join(STRICTNESS_LEVELS)
    raise click.UsageError(
        f"--strictness must be TOOL.ARGUMENT={words}, such as Emails__send_email.content=any; got {text!r}."
    )


def _print_result(output: Path, written: str, adapted: Sequence[str], notes: Sequence[str], *, as_json: bool) -> None:
    if as_json:
        result = {"output": str(output), "id": written, "adapted": list(adapted), "notes": list(notes)}
        print_json(result)
        return
    lines = [*(f"adapted: {each}" for each in adapted), *(f"note: {each}" for each in notes)]
    print_lines([f"written: {output}", *lines[:_MAX_PRINTED]])
    if len(lines) > _MAX_PRINTED:
        print_line(f"... and {len(lines) - _MAX_PRINTED} more; --json prints all")

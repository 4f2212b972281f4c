"""`adksim scenario judge`: judges traces by what their scenario expects, and shows what differs."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import click

from adk_agent_sim.cli.exit_codes import NothingToCompare, exit_with_result
from adk_agent_sim.cli.scenarios.run_value_checks import judge_option, make_soft_judge, record_option
from adk_agent_sim.cli.shared_options import database_option
from adk_agent_sim.errors import InvalidScenario
from adk_agent_sim.scenario.verdict.checker_params import CheckerParams
from adk_agent_sim.text.terminal_output import print_document, print_json, print_line, style
from adk_agent_sim.timeline.strict_json import InvalidJson, parse_json

if TYPE_CHECKING:
    from adk_agent_sim.scenario import ScenarioImportedFromJson
    from adk_agent_sim.timeline.verdict import Verdict
    from adk_agent_sim.use_cases.judging import ScenarioJudges, TraceResult


@click.command("judge")
@click.argument("scenario_file", metavar="SCENARIO", type=click.Path(path_type=Path))
@click.argument("traces", metavar="[TRACE...]", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--session",
    "session_names",
    multiple=True,
    metavar="SESSION",
    help="A session of the database: an id, the beginning of an id, or `last`. Repeatable.",
)
@database_option
@click.option(
    "--save/--no-save", default=True, help="Whether the verdict on a SESSION is added to its timeline. Default: --save."
)
@judge_option
@record_option
@click.option(
    "--checker-params",
    "params_file",
    type=click.Path(dir_okay=False, path_type=Path),
    help="A JSON file with additional checks by the id of the expected event, as ARE's `ToolCheckerParam` has them.",
)
@click.option("--explain", is_flag=True, help="Show what was asked for each soft check, and the reply.")
@click.option("--json", "as_json", is_flag=True, help="Print the verdicts as JSON.")
def judge_command(
    scenario_file: Path,
    traces: tuple[Path, ...],
    session_names: tuple[str, ...],
    database: str,
    save: bool,
    judge_name: str,
    record: Path,
    params_file: Path | None,
    explain: bool,
    as_json: bool,
) -> None:
    """Judge the runs in TRACE... by what SCENARIO expects of the agent, turn by turn.

    A TRACE is a trace in ARE's format (`adksim scenario run --trace` writes one), the timeline of a session, or a
    JSON Lines file or folder of these. A session that is stored in a database is judged, or judged again, with
    --session; its timeline then shows the verdict.

    The agent passes if it did everything that is expected and changed nothing else: the same tools, equally often, with
    arguments that count as the same, in time and in order. A line with `-` shows what was expected, one with `+` what
    the agent did.

    Texts, such as the body of an email, are compared only with --judge MODEL or replay:FILE. The answers of a model are
    recorded, so a verdict can be reproduced without it.

    Exits with 0 if all runs passed, with 1 if one failed, and with 3 if none failed but one cannot be judged.

    \b
    adksim scenario judge scenario.json trace.json
    adksim scenario judge scenario.json runs/ --judge gemini-2.5-flash --explain
    adksim scenario judge scenario.json trace.json --judge replay:judge-answers.jsonl --json
    adksim scenario judge scenario.json --session last --checker-params checks.json
    """
    from adk_agent_sim.use_cases.judging import ScenarioJudges, judge_traces

    if not traces and not session_names:
        raise click.UsageError("Give at least one TRACE, or --session.")
    params = None if params_file is None else _read_params(params_file)
    soft = make_soft_judge(judge_name, record)
    judges = ScenarioJudges(_load_scenarios(scenario_file), soft, params)
    results = [each for path in traces for each in judge_traces(judges, path)]
    if session_names:
        save_as = judge_name if save else None
        results += asyncio.run(_judge_sessions(judges, database, session_names, save_as))
    if as_json:
        print_json([_to_json(each, explain=explain) for each in results])
    else:
        for each in results:
            _print_result(each, explain=explain)
        _print_summary(results)
    nothing = None if results else "The files contain no trace, so nothing was judged."
    problem = next((each.problem for each in results if each.verdict is None), nothing)
    has_failed = any(each.passed is False for each in results)
    exit_with_result(has_failed=has_failed, problem=problem)


def _load_scenarios(file: Path) -> list[ScenarioImportedFromJson]:
    from adk_agent_sim.scenario import load_scenarios

    try:
        return list(load_scenarios(file))
    except InvalidScenario as error:
        raise NothingToCompare(str(error)) from error


async def _judge_sessions(
    judges: ScenarioJudges, database: str, names: Sequence[str], save_as: str | None
) -> list[TraceResult]:
    from adk_agent_sim.persistence.database_store import open_store
    from adk_agent_sim.timeline.timeline import Timeline
    from adk_agent_sim.use_cases.judging import judge_session
    from adk_agent_sim.use_cases.sessions import find_session

    async with open_store(database) as store:
        timeline = Timeline(store)
        # All names are looked up first, so that none is judged if one is wrong.
        found = [await find_session(timeline, name) for name in names]
        return [await judge_session(judges, timeline, each.session_id, save_as=save_as) for each in found]


def _read_params(file: Path) -> CheckerParams:
    """Return the additional checks of a file; their judge checks the rest."""
    try:
        value: object = parse_json(file.read_bytes())
    except (OSError, InvalidJson) as error:
        raise click.BadParameter(f"{file} cannot be read: {error}", param_hint="--checker-params") from error
    by_id = cast("dict[str, Any]", value) if isinstance(value, dict) else {}
    if not by_id or not all(
        isinstance(each, list) and all(isinstance(one, dict) for one in cast("list[object]", each))
        for each in by_id.values()
    ):
        raise click.BadParameter(
            f'{file} must be an object with a list of checks for each event, such as {{"EVENT_ID": '
            '[{"arg_name": "content", "checker_type": "contain_any_checker", "checker_args": {"targets": ["4"]}}]}.',
            param_hint="--checker-params",
        )
    return by_id


def _to_json(result: TraceResult, *, explain: bool) -> dict[str, Any]:
    from adk_agent_sim.scenario.verdict.soft_check import build_prompt

    value = result.model_dump(mode="json")
    if explain and result.verdict is not None:
        for asked, row in zip(result.verdict.soft_checks, value["verdict"]["soft_checks"], strict=True):
            row["prompt"] = build_prompt(asked)
    return value


def _print_result(result: TraceResult, *, explain: bool) -> None:
    from adk_agent_sim.scenario.verdict.soft_check import build_prompt

    if result.verdict is None:
        print_line(style(f"NOT JUDGED  {result.trace}", fg="yellow"))
        print_line(f"  {result.problem}")
        return
    print_line(style(result.trace, bold=True))
    print_verdict(result.verdict)
    for each in result.verdict.soft_checks if explain else ():
        answer = "the same" if each.passed else "not the same"
        print_line(f"Soft check of {each.argument} of {each.tool}: {answer}")
        print_document(build_prompt(each))
        print_line(f"Reply: {each.reply or '(none)'}")


def _print_summary(results: Sequence[TraceResult]) -> None:
    if len(results) > 1:
        verdicts = [each.verdict for each in results if each.verdict is not None]
        passed = sum(each.passed for each in verdicts)
        print_line(f"{passed} passed, {len(verdicts) - passed} failed, {len(results) - len(verdicts)} not judged")


def print_verdict(verdict: Verdict, *, passed: bool | None = None) -> None:
    """Print a verdict.

    Args:
        verdict: The verdict of the judge.
        passed: Whether the run passed, if that is not what the judge says: a run that raised has failed.
    """
    from adk_agent_sim.timeline.verdict import render_verdict

    for line in render_verdict(verdict):
        shown = f"FAILED{line.removeprefix('PASSED')}" if passed is False and line.startswith("PASSED  ") else line
        print_line(style(shown, fg=colour) if (colour := _pick_colour(shown)) else shown)


def _pick_colour(line: str) -> str | None:
    if line.startswith(("PASSED", "FAILED")):
        return "green" if line.startswith("PASSED") else "red"
    text = line.strip()
    if text.startswith(("- ", "~ ")):
        return "red"
    return "green" if text.startswith("+ ") else None

"""`adksim evals`: lists the cases of EvalSets and ADK sessions, with a badge for each, or opens them in the browser."""

from __future__ import annotations

import asyncio
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adk_agent_sim.cli.evals.evals_format import format_case, format_cases
from adk_agent_sim.cli.exit_codes import ExitCode, NothingToCompare
from adk_agent_sim.cli.play.browser import BrowserSettings, browser_options, build_agent_config, serve_in_browser
from adk_agent_sim.golden.export_formats import build_eval_set_name
from adk_agent_sim.text.terminal_output import (
    print_document,
    print_json,
    print_line,
    print_lines,
    send_other_output_to_stderr,
)

if TYPE_CHECKING:
    from adk_agent_sim.adk.loading.agent_loader import App
    from adk_agent_sim.golden.eval_file import EvalFile, OpenedCase
    from adk_agent_sim.golden.session import SimulatedAgentConfig
    from adk_agent_sim.use_cases.cases import CheckedCase, ConvertedCases


@click.command()
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--agent",
    "agent_dir",
    type=click.Path(path_type=Path),
    help="The agent's folder: each case is replayed on its tools.",
)
@click.option("--case", "eval_id", help="Show only the case with this eval id, as a timeline.")
@click.option(
    "--ignore",
    "ignored_paths",
    multiple=True,
    metavar="PATH",
    help="A value that may differ in a replay, such as result.time or *.id. Repeatable.",
)
@click.option(
    "--convert",
    "target",
    type=click.Path(path_type=Path),
    metavar="OUT",
    help="Write the cases of a file that can only be read to OUT, a new EvalSet that can be edited.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the cases, or what was converted, as JSON.")
@click.option("--web", is_flag=True, help="Open the cases in the browser, to look at them, check and edit them.")
@browser_options
def evals(
    files: tuple[Path, ...],
    agent_dir: Path | None,
    eval_id: str | None,
    ignored_paths: tuple[str, ...],
    target: Path | None,
    as_json: bool,
    web: bool,
    browser: BrowserSettings,
) -> None:
    """List the cases of FILES: EvalSets of any format, and session files of ADK.

    With --agent, each case is replayed on the agent's real tools, without a model, and gets a badge: equal, drifted,
    or not replayable and why. ADK's own metrics that need no model then compare the replay with the case, by the
    test_config.json beside the file.

    With --agent it exits with 1 if a case has drifted, cannot be replayed or fails a metric, and with 3 if there was
    nothing to compare.

    \b
    adksim evals golden.evalset.json
    adksim evals golden.evalset.json --agent my_agents/math_agent
    adksim evals golden.evalset.json --agent my_agents/math_agent --case refund
    adksim evals golden.evalset.json --agent my_agents/math_agent --web --open
    adksim evals session.json --convert golden.evalset.json
    """
    from adk_agent_sim.golden.eval_file import EvalFile

    if target is not None:
        from adk_agent_sim.use_cases.cases import convert_cases

        source, *others = files
        if others or agent_dir is not None or eval_id is not None or ignored_paths or web:
            raise click.UsageError("--convert converts one file as a whole; of the other options it takes --json only.")
        with send_other_output_to_stderr():
            converted = convert_cases(EvalFile(source), target)
        print_json(converted.model_dump(mode="json")) if as_json else print_line(_describe_conversion(converted))
        return
    opened = [EvalFile(file) for file in files]
    if web:
        if as_json or eval_id is not None:
            raise click.UsageError("--web shows all cases; --json and --case are for the terminal.")
        _serve(opened, agent_dir, browser, ignored_paths)
        return
    with send_other_output_to_stderr():
        app = _load_app(agent_dir)
        reports = [(file, asyncio.run(_report_cases(file, app, eval_id, ignored_paths))) for file in opened]
    if eval_id is not None and not any(cases for _, cases in reports):
        raise click.ClickException(_explain_unknown_case(opened, eval_id))
    if as_json:
        print_json([_file_to_json(file, cases) for file, cases in reports])
    else:
        _print_reports(reports, show_timeline=eval_id is not None)
    all_cases = [case for _, cases in reports for case in cases]
    if app is None:
        return
    if not any(case.has_compared for case in all_cases):
        raise NothingToCompare(
            f"Nothing was compared in {', '.join(map(str, files))}: there is no case with recorded results of tools. "
            "Record a session in which the agent calls a tool."
        )
    sys.exit(ExitCode.OK if all(case.is_good for case in all_cases) else ExitCode.FAILED)


def _describe_conversion(converted: ConvertedCases) -> str:
    count, omitted = converted.case_count, converted.omitted_turn_count
    cases = "1 case" if count == 1 else f"{count} cases"
    turns = "1 user turn was" if omitted == 1 else f"{omitted} user turns were"
    note = f" {turns} left out: without a final response." if omitted else ""
    return (
        f"Wrote {cases} to {converted.path}.{note} `adksim evals {shlex.quote(converted.path)} --web` opens the file."
    )


def _load_app(agent_dir: Path | None) -> App | None:
    from adk_agent_sim.adk.loading.agent_loader import load_app

    return None if agent_dir is None else load_app(agent_dir)


async def _report_cases(
    file: EvalFile, app: App | None, eval_id: str | None, ignored_paths: Sequence[str]
) -> list[CheckedCase]:
    from adk_agent_sim.use_cases.cases import check_case

    return [
        await check_case(app, file, case, ignored_paths)
        for case in file.read().cases
        if eval_id in (None, case.eval_id)
    ]


def _explain_unknown_case(files: Sequence[EvalFile], eval_id: str) -> str:
    known: list[OpenedCase] = [case for file in files for case in file.read().cases]
    return f"There is no case {eval_id!r}; there are: {', '.join(case.eval_id for case in known) or 'none'}"


def _print_reports(reports: Sequence[tuple[EvalFile, Sequence[CheckedCase]]], *, show_timeline: bool) -> None:
    for place, (file, cases) in enumerate(reports):
        if place:
            print_line("")
        if not show_timeline:
            count = "1 case" if len(cases) == 1 else f"{len(cases)} cases"
            print_line(f"{file.path}: {count}")
            print_lines(format_cases(cases))
            continue
        for case in cases:
            print_document(format_case(case, file.find_case(case.case.key)))


def _file_to_json(file: EvalFile, cases: Sequence[CheckedCase]) -> dict[str, Any]:
    return {
        "path": str(file.path),
        "kind": file.kind,
        "cases": [case.model_dump(mode="json") for case in cases],
    }


def _serve(
    files: Sequence[EvalFile], agent_dir: Path | None, browser: BrowserSettings, ignored_paths: Sequence[str]
) -> None:
    from adk_agent_sim.server.evals.eval_catalog import EvalCatalog

    app = _load_app(agent_dir)
    configs: list[SimulatedAgentConfig] = []
    if app is not None and agent_dir is not None:
        # A session that is played and exported becomes a case of the file that is open.
        own = Path(build_eval_set_name(app.name))
        target = next((file.path for file in files if file.kind == "evalset"), own)
        configs = [build_agent_config(app, target, agent_dir)]
    serve_in_browser(configs, browser, evals=EvalCatalog(files, app, ignored_paths))

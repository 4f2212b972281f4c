"""`adksim env`: the commands for rules of simulated tools."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adk_agent_sim.cli.environment.env_record import record
from adk_agent_sim.cli.exit_codes import ExitCode, NothingToCompare
from adk_agent_sim.text.escaping import escape_document
from adk_agent_sim.text.terminal_output import (
    print_document,
    print_json,
    print_line,
    send_other_output_to_stderr,
    style,
)

if TYPE_CHECKING:
    from adk_agent_sim.environment.argument_lint import ModelProblem
    from adk_agent_sim.environment.rule_finding import RuleFinding
    from adk_agent_sim.environment.rule_lint import ToolCatalog
    from adk_agent_sim.timeline.events import Event

_FILE_TYPE = click.Path(path_type=Path)


@click.group()
def env() -> None:
    """Check rules for simulated tools, generate them from a trace or from real tools, and report what they did.

    docs/environment.md describes the rules file.
    """


@env.command()
@click.argument("files", nargs=-1, required=True, type=_FILE_TYPE)
@click.option("--agent", "agent_dir", type=_FILE_TYPE, help="Also check names against the agent in this folder.")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def check(files: tuple[Path, ...], agent_dir: Path | None, as_json: bool) -> None:
    """Check the rules files FILES, YAML or JSON. Exits with 1 if there are findings.

    \b
    adksim env check rules.yaml
    adksim env check rules.yaml --agent my_agents/shop_agent
    """
    from adk_agent_sim.environment.rules_file import check_rules_file

    catalog = _load_catalog(agent_dir) if agent_dir else None
    checks = {file: check_rules_file(file, catalog=catalog, models=_find_model_problem) for file in files}
    findings = [finding for each in checks.values() for finding in each.findings]
    if as_json:
        print_json([_finding_to_json(finding) for finding in findings])
    else:
        for finding in findings:
            print_line(style(str(finding), fg="red" if finding.severity == "error" else "yellow"))
        for file, each in checks.items():
            if not each.findings and each.rules is not None:
                print_line(f"{file}: {len(each.rules.rules)} rules, no problems")
    sys.exit(ExitCode.FAILED if findings else ExitCode.OK)


@env.command()
@click.option("--json", is_flag=True, expose_value=False, help="Accepted for consistency; the schema is always JSON.")
def schema() -> None:
    """Print the JSON Schema of a rules file, for editors.

    \b
    adksim env schema > environment.schema.json
    """
    from adk_agent_sim.environment.rules_schema import build_rules_schema

    print_json(build_rules_schema())


@env.command("from-trace")
@click.argument("file", type=_FILE_TYPE)
@click.option("--case", "eval_id", help="The case of an EvalSet; required if it has several.")
@click.option("--json", "as_json", is_flag=True, help="Print the rules as JSON instead of YAML.")
def from_trace(file: Path, eval_id: str | None, as_json: bool) -> None:
    """Print rules that answer exactly the tool calls recorded in FILE, and refuse all others.

    FILE is an EvalSet, a session saved by `adk web` or `adk run --save_session`, or a timeline as JSON Lines. With the
    rules, the agent runs without its tools and their network; docs/hermetic.md makes a CI test of it. Exits with 3 if
    FILE contains no tool call with a result.

    \b
    adksim env from-trace golden.evalset.json > rules.yaml
    ADK_SIM_RULES=rules.yaml adk eval my_agent golden.evalset.json
    """
    from adk_agent_sim.environment.call_recorder import build_rules, extract_recorded_calls
    from adk_agent_sim.environment.yaml_document import render_yaml

    calls = extract_recorded_calls(_load_trace_events(file, eval_id))
    if not calls:
        raise NothingToCompare(
            f"{file} contains no tool call with a result, so there are no rules to generate. "
            "Give a trace in which the agent called a tool."
        )
    rules = build_rules(calls)
    if as_json:
        print_json(rules)
        return
    text = render_yaml(rules)
    if escape_document(text) != text:
        # Only an escape of YAML itself keeps the value, so that the rules still give the recorded results.
        text = render_yaml(rules, allow_unicode=False)
    print_document(text)


@env.command()
@click.argument("file", type=_FILE_TYPE)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def report(file: Path, as_json: bool) -> None:
    """Report, for each tool in the timeline FILE, which calls were real and which rule answered the others.

    FILE is JSON Lines, as `adksim export --format jsonl` writes it. Exits with 3 if no tool was called.

    \b
    adksim export last --format jsonl --out session.jsonl
    adksim env report session.jsonl
    """
    from adk_agent_sim.environment.recorded_report import build_recorded_report

    environment_report = build_recorded_report(_load_timeline_events(file))
    if as_json:
        print_json(environment_report.to_json())
    else:
        print_document(str(environment_report))
    if not environment_report.tools and not environment_report.coverage:
        raise NothingToCompare(f"No tool was called in {file}, so there is nothing to report.")


env.add_command(record)


def _load_catalog(agent_dir: Path) -> ToolCatalog:
    from adk_agent_sim.adk.loading.agent_loader import load_app
    from adk_agent_sim.adk.loading.tool_catalog import build_tool_catalog

    with send_other_output_to_stderr():
        return asyncio.run(build_tool_catalog(load_app(agent_dir)))


def _find_model_problem(name: str) -> ModelProblem | None:
    from adk_agent_sim.adk.environment.llm_mock_models import find_model_problem

    with send_other_output_to_stderr():
        return find_model_problem(name, os.environ)


def _finding_to_json(finding: RuleFinding) -> dict[str, Any]:
    keys = ("file", "line", "path", "code", "severity", "message", "advice")
    return {key: getattr(finding, key) for key in keys}


def _load_trace_events(file: Path, eval_id: str | None) -> Sequence[Event]:
    """Read the events of a trace; the kind of file is recognized by its suffix and content."""
    if file.suffix == ".jsonl":
        return _load_timeline_events(file)
    from adk_agent_sim.golden.importers import import_adk_session, import_eval_case
    from adk_agent_sim.timeline.strict_json import InvalidJson, parse_json_object

    try:
        is_eval_set = "eval_cases" in parse_json_object(file.read_bytes())
    except InvalidJson:
        raise click.ClickException(
            f"Cannot read {file}: it is neither an EvalSet, a session, nor a timeline (.jsonl)."
        ) from None
    return import_eval_case(file, eval_id) if is_eval_set else import_adk_session(file)


def _load_timeline_events(file: Path) -> list[Event]:
    from adk_agent_sim.timeline import jsonl
    from adk_agent_sim.timeline.events import Event

    return [record for record in jsonl.read_records(file) if isinstance(record, Event)]

"""`adksim env`: the group of commands about rules for simulated tools."""

from __future__ import annotations

import asyncio
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

if TYPE_CHECKING:
    from adk_agent_sim.environment.rule_finding import RuleFinding
    from adk_agent_sim.environment.rule_lint import ToolCatalog
    from adk_agent_sim.timeline.events import Event

_FILE_TYPE = click.Path(path_type=Path)


@click.group()
def env() -> None:
    """Check rules for simulated tools, make them from a trace, and report what they did."""


@env.command()
@click.argument("files", nargs=-1, required=True, type=_FILE_TYPE)
@click.option("--agent", "agent_dir", type=_FILE_TYPE, help="Compare with the tools of the agent in this folder.")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def check(files: tuple[Path, ...], agent_dir: Path | None, as_json: bool) -> None:
    """Check the rules in FILES, YAML or JSON. Exit code 1 if anything is wrong."""
    from adk_agent_sim.environment.rules_file import check_rules_file

    catalogue = _load_catalog(agent_dir) if agent_dir else None
    checked = {file: check_rules_file(file, catalog=catalogue) for file in files}
    findings = [finding for each in checked.values() for finding in each.findings]
    if as_json:
        click.echo(json.dumps([_finding_to_json(finding) for finding in findings], indent=2, ensure_ascii=False))
    else:
        for finding in findings:
            click.echo(click.style(str(finding), fg="red" if finding.severity == "error" else "yellow"))
        for file, each in checked.items():
            if not each.findings and each.rules is not None:
                click.echo(f"{file}: {len(each.rules.rules)} rules, nothing wrong")
    sys.exit(1 if findings else 0)


@env.command()
def schema() -> None:
    """Print the JSON Schema of a rules file, for editors."""
    from adk_agent_sim.environment.rules_schema import build_rules_schema

    click.echo(json.dumps(build_rules_schema(), indent=2, ensure_ascii=False))


@env.command("from-trace")
@click.argument("file", type=_FILE_TYPE)
@click.option("--case", "eval_id", help="The case of an EvalSet, if it holds several.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of YAML.")
def from_trace(file: Path, eval_id: str | None, as_json: bool) -> None:
    """Print rules that answer as the session in FILE was answered.

    FILE is an EvalSet, a session that `adk web` or `adk run --save_session` wrote, or a timeline as JSON Lines.
    """
    import yaml

    from adk_agent_sim.environment.rules_from_trace import build_rules, extract_recorded_calls

    calls = extract_recorded_calls(_load_trace_events(file, eval_id))
    if not calls:
        raise click.ClickException(f"{file} holds no call of a tool that was answered.")
    rules = build_rules(calls)
    click.echo(
        json.dumps(rules, indent=2, ensure_ascii=False)
        if as_json
        else yaml.safe_dump(rules, sort_keys=False, allow_unicode=True, width=120),
        nl=as_json,
    )


@env.command()
@click.argument("file", type=_FILE_TYPE)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def report(file: Path, as_json: bool) -> None:
    """Print what became of the tool calls in the timeline FILE, JSON Lines as `export_jsonl` writes them."""
    from adk_agent_sim.environment.recorded_report import build_recorded_report

    found = build_recorded_report(_load_timeline_events(file))
    click.echo(json.dumps(found.to_json(), indent=2, ensure_ascii=False) if as_json else str(found))


def _load_catalog(agent_dir: Path) -> ToolCatalog:
    from adk_agent_sim.adk.agent_loader import load_app
    from adk_agent_sim.adk.tool_catalog import build_tool_catalog
    from adk_agent_sim.cli.terminal import silence_adk_logging

    silence_adk_logging()
    return asyncio.run(build_tool_catalog(load_app(agent_dir)))


def _finding_to_json(finding: RuleFinding) -> dict[str, Any]:
    keys = ("file", "line", "path", "code", "severity", "message", "advice")
    return {key: getattr(finding, key) for key in keys}


def _load_trace_events(file: Path, eval_id: str | None) -> Sequence[Event]:
    """The timeline of whatever kind of trace the file is."""
    if file.suffix == ".jsonl":
        return _load_timeline_events(file)
    from adk_agent_sim.golden.importers import import_adk_session, import_eval_case

    try:
        is_eval_set = "eval_cases" in json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, TypeError):
        raise click.ClickException(f"{file} is neither an EvalSet, a session, nor a timeline.") from None
    return import_eval_case(file, eval_id) if is_eval_set else import_adk_session(file)


def _load_timeline_events(file: Path) -> list[Event]:
    from adk_agent_sim.timeline import jsonl
    from adk_agent_sim.timeline.events import Event

    return [record for record in jsonl.read_records(file) if isinstance(record, Event)]

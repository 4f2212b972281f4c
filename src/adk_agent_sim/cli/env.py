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
    from adk_agent_sim.environment.finding import Finding
    from adk_agent_sim.environment.lint import Catalogue
    from adk_agent_sim.timeline.events import Event

_FILE = click.Path(path_type=Path)


@click.group()
def env() -> None:
    """Check rules for simulated tools, make them from a trace, and report what they did."""


@env.command()
@click.argument("files", nargs=-1, required=True, type=_FILE)
@click.option("--agent", "agent_dir", type=_FILE, help="Compare with the tools of the agent in this folder.")
@click.option("--json", "as_json", is_flag=True, help="Print the findings as JSON.")
def check(files: tuple[Path, ...], agent_dir: Path | None, as_json: bool) -> None:
    """Check the rules in FILES, YAML or JSON. Exit code 1 if anything is wrong."""
    from adk_agent_sim.environment.loading import check_file

    catalogue = _catalogue(agent_dir) if agent_dir else None
    checked = {file: check_file(file, catalogue=catalogue) for file in files}
    findings = [finding for each in checked.values() for finding in each.findings]
    if as_json:
        click.echo(json.dumps([_data(finding) for finding in findings], indent=2, ensure_ascii=False))
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
    from adk_agent_sim.environment.schema import rules_schema

    click.echo(json.dumps(rules_schema(), indent=2, ensure_ascii=False))


@env.command("from-trace")
@click.argument("file", type=_FILE)
@click.option("--case", "eval_id", help="The case of an EvalSet, if it holds several.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON instead of YAML.")
def from_trace(file: Path, eval_id: str | None, as_json: bool) -> None:
    """Print rules that answer as the session in FILE was answered.

    FILE is an EvalSet, a session that `adk web` or `adk run --save_session` wrote, or a timeline as JSON Lines.
    """
    import yaml

    from adk_agent_sim.environment.from_trace import recorded_calls, rules_from

    calls = recorded_calls(_events(file, eval_id))
    if not calls:
        raise click.ClickException(f"{file} holds no call of a tool that was answered.")
    rules = rules_from(calls)
    click.echo(
        json.dumps(rules, indent=2, ensure_ascii=False)
        if as_json
        else yaml.safe_dump(rules, sort_keys=False, allow_unicode=True, width=120),
        nl=as_json,
    )


@env.command()
@click.argument("file", type=_FILE)
@click.option("--json", "as_json", is_flag=True, help="Print the report as JSON.")
def report(file: Path, as_json: bool) -> None:
    """Print what became of the tool calls in the timeline FILE, JSON Lines as `export_jsonl` writes them."""
    from adk_agent_sim.environment.recorded_report import recorded_report

    found = recorded_report(_timeline(file))
    click.echo(json.dumps(found.as_json(), indent=2, ensure_ascii=False) if as_json else str(found))


def _catalogue(agent_dir: Path) -> Catalogue:
    from adk_agent_sim.adk.agents import load_app
    from adk_agent_sim.adk.catalogue import catalogue
    from adk_agent_sim.cli.terminal import quiet

    quiet()
    return asyncio.run(catalogue(load_app(agent_dir)))


def _data(finding: Finding) -> dict[str, Any]:
    keys = ("file", "line", "path", "code", "severity", "message", "advice")
    return {key: getattr(finding, key) for key in keys}


def _events(file: Path, eval_id: str | None) -> Sequence[Event]:
    """The timeline of whatever kind of trace the file is."""
    if file.suffix == ".jsonl":
        return _timeline(file)
    from adk_agent_sim.golden.opened import open_adk_session, open_eval_case

    try:
        is_eval_set = "eval_cases" in json.loads(file.read_text(encoding="utf-8"))
    except (ValueError, TypeError):
        raise click.ClickException(f"{file} is neither an EvalSet, a session, nor a timeline.") from None
    return open_eval_case(file, eval_id) if is_eval_set else open_adk_session(file)


def _timeline(file: Path) -> list[Event]:
    from adk_agent_sim.timeline import jsonl
    from adk_agent_sim.timeline.events import Event

    return [record for record in jsonl.read(file) if isinstance(record, Event)]

"""`adksim env`: the commands for rules of simulated tools."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adk_agent_sim.cli.exit_codes import ExitCode, NothingToCompare
from adk_agent_sim.golden.export_formats import build_eval_set_name
from adk_agent_sim.text.escaping import escape_document
from adk_agent_sim.text.terminal_output import (
    print_document,
    print_json,
    print_line,
    send_other_output_to_stderr,
    style,
)
from adk_agent_sim.timeline.atomic_files import atomic_write_text
from adk_agent_sim.timeline.strict_json import InvalidJson, parse_json_object

if TYPE_CHECKING:
    from adk_agent_sim.adk.loading.agent_loader import App
    from adk_agent_sim.environment.argument_lint import ModelProblem
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
        keys = ("file", "line", "path", "code", "severity", "message", "advice")
        print_json([{key: getattr(finding, key) for key in keys} for finding in findings])
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


def _load_catalog(agent_dir: Path) -> ToolCatalog:
    from adk_agent_sim.adk.loading.agent_loader import load_app
    from adk_agent_sim.adk.loading.tool_catalog import build_tool_catalog

    with send_other_output_to_stderr():
        return asyncio.run(build_tool_catalog(load_app(agent_dir)))


def _find_model_problem(name: str) -> ModelProblem | None:
    from adk_agent_sim.adk.environment.llm_mock_models import find_model_problem

    with send_other_output_to_stderr():
        return find_model_problem(name, os.environ)


def _load_trace_events(file: Path, eval_id: str | None) -> Sequence[Event]:
    """Read the events of a trace; the kind of file is recognized by its suffix and content."""
    if file.suffix == ".jsonl":
        return _load_timeline_events(file)
    from adk_agent_sim.golden.importers import import_adk_session, import_eval_case

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

    return [each for each in jsonl.read_records(file) if isinstance(each, Event)]


_TIMELINE_ADVICE = "A timeline has both: record from a file that `adksim export --format jsonl` wrote."

_PLAIN_FILE = click.Path(dir_okay=False, path_type=Path)


@env.command()
@click.option("--agent", "agent_dir", type=click.Path(path_type=Path), required=True, help="The agent's folder.")
@click.option("--out", type=_PLAIN_FILE, help="The rules file to write; it replaces one that exists.")
@click.option("--check", "checked", type=_PLAIN_FILE, help="Compare the mocks of this rules file with the real tools.")
@click.option("--script", type=_PLAIN_FILE, help="Play this YAML file instead of asking you.")
@click.option("--trace", type=_PLAIN_FILE, help="Make the decisions of this recording again instead of asking you.")
@click.option("--case", "name", help="With --trace: the case with this eval id, or the session with this id.")
@click.option(
    "--read-only",
    "read_only",
    multiple=True,
    metavar="TOOL",
    help="With --check: a tool that changes nothing, although its name does not say so; may have wildcards. "
    "Repeatable.",
)
@click.option("--json", "as_json", is_flag=True, help="Print the result as JSON.")
def record(
    agent_dir: Path,
    out: Path | None,
    checked: Path | None,
    script: Path | None,
    trace: Path | None,
    name: str | None,
    read_only: tuple[str, ...],
    as_json: bool,
) -> None:
    """Record what the real tools of an agent return in a rules file, or check mocks against them.

    With --out, all calls go to the real tools. The file then has a rule for each of them, as `adksim env from-trace`
    writes it, without secrets (docs/redaction.md); an argument with a secret matches any value.

    With --check, the rules of a file answer, and the real tool runs beside them if it only reads: its name begins with
    get, list, search or the like, or --read-only names it. The report has two scores for each tool, from 0 to 1: how
    much of the shape of the mocked responses is right, and how many of their values. Exits with 1 if something
    differs, and with 3 if nothing was compared.

    You play the agent's model in this terminal, or --script or --trace does.

    \b
    adksim env record --agent my_agents/shop --out rules.yaml
    adksim env record --agent my_agents/shop --out rules.yaml --trace golden.evalset.json
    adksim env record --agent my_agents/shop --check rules.yaml --trace golden.evalset.json --read-only quote_price
    """
    if (out is None) == (checked is None):
        raise click.UsageError("Give --out FILE to record, or --check FILE to compare.")
    if script is not None and trace is not None:
        raise click.UsageError("--script and --trace exclude each other.")
    if read_only and checked is None:
        raise click.UsageError("--read-only needs --check: a recording calls all tools.")
    if name is not None and trace is None:
        raise click.UsageError("--case needs --trace.")
    if as_json and script is None and trace is None:
        raise click.UsageError("--json needs --script or --trace: otherwise you play in this terminal.")
    if out is not None:
        _record(agent_dir, out, script, trace, name, as_json=as_json)
    elif checked is not None:
        _check(agent_dir, checked, script, trace, name, read_only, as_json=as_json)


def _record(
    agent_dir: Path, out: Path, script: Path | None, trace: Path | None, name: str | None, *, as_json: bool
) -> None:
    from adk_agent_sim.adk.environment.environment_factory import add_call_watcher
    from adk_agent_sim.adk.loading.agent_loader import load_app
    from adk_agent_sim.environment.actions.pass_through import Pass
    from adk_agent_sim.environment.call_recorder import CallRecorder
    from adk_agent_sim.environment.rules import Match, Rule, Rules
    from adk_agent_sim.environment.yaml_document import render_yaml
    from adk_agent_sim.timeline.redaction.redactor import Redactor

    everything = Rules(rules=[Rule(name="the real tool", match=Match(tool=["*"]), do=[Pass()])])
    recorder = CallRecorder()
    with send_other_output_to_stderr() if as_json else nullcontext():
        app = add_call_watcher(load_app(agent_dir), everything, recorder)
        notes = asyncio.run(_play(app, script, trace, name))
    recorded = recorder.build_rules(Redactor())
    if not recorded.call_count:
        raise NothingToCompare(f"No tool was called, so {out} was not written. Let the agent call a tool.")
    atomic_write_text(out, render_yaml(recorded.rules))
    if as_json:
        rules: list[Any] = recorded.rules["rules"]
        counts = {"calls": recorded.call_count, "rules": len(rules), "redacted": recorded.redacted_count}
        print_json({"out": str(out), **counts, **({"notes": notes} if notes else {})})
        return
    print_line(f"{out}: {recorded.call_count} calls, {len(recorded.rules['rules'])} rules")
    if recorded.redacted_count:
        print_line(f"  secrets were removed from {recorded.redacted_count} of the calls")
    _print_notes(notes)


def _check(
    agent_dir: Path,
    checked: Path,
    script: Path | None,
    trace: Path | None,
    name: str | None,
    read_only: tuple[str, ...],
    *,
    as_json: bool,
) -> None:
    from adk_agent_sim.adk.environment.environment_factory import add_call_watcher
    from adk_agent_sim.adk.loading.agent_loader import load_app
    from adk_agent_sim.environment.shadow_check import ShadowCheck

    check = ShadowCheck(read_only)
    with send_other_output_to_stderr() if as_json else nullcontext():
        app = add_call_watcher(load_app(agent_dir), checked, check)
        notes = asyncio.run(_play(app, script, trace, name))
    report = check.build_report()
    if as_json:
        print_json({**report.to_json(), **({"notes": notes} if notes else {})})
    elif report.tools or report.not_compared:
        print_document(str(report))
        _print_notes(notes)
    if not report.tools:
        raise NothingToCompare(
            "Nothing was compared: no rule answered a call of a tool that only reads. "
            "Name tools that change nothing with --read-only."
        )
    sys.exit(ExitCode.FAILED if report.has_drift else ExitCode.OK)


def _print_notes(notes: Sequence[str]) -> None:
    for note in notes:
        print_line(f"  note: {note}")


async def _play(app: App, script: Path | None, trace: Path | None, name: str | None) -> Sequence[str]:
    """Play the agent by a script, by a recording, or by a person in this terminal; returns what was not played."""
    if trace is not None:
        return await _play_trace(app, trace, name)
    if script is not None:
        await _play_script(app, script)
        return ()
    from adk_agent_sim.cli.play.prompts import KeyboardPrompts
    from adk_agent_sim.cli.play.terminal import play_in_terminal

    await play_in_terminal(app, KeyboardPrompts(), Path(build_eval_set_name(app.name)))
    return ()


async def _play_script(app: App, path: Path) -> None:
    from adk_agent_sim.adk.steps.script import read_script
    from adk_agent_sim.simulation.script_play import play_script

    if mismatches := await play_script(app, read_script(path)):
        first = mismatches[0]
        raise click.ClickException(
            f"{path} did not play as expected at {first.where}: got {first.found!r}, expected "
            f"{first.expected!r}. Run `adksim run --script` to see all differences."
        )


async def _play_trace(app: App, path: Path, name: str | None) -> Sequence[str]:
    from adk_agent_sim.adk.evals.recording_replay import replay_recording
    from adk_agent_sim.golden.recording_files import read_recordings

    notes: dict[str, None] = {}
    for recording in read_recordings(path, name):
        replay = await replay_recording(app, recording)
        if replay.problem:
            raise click.ClickException(f"{recording.name} cannot be played again: {replay.problem}")
        notes.update(dict.fromkeys(f"{note}. {_TIMELINE_ADVICE}" for note in replay.notes))
    return list(notes)

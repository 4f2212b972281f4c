"""`adksim export`: writes a session of a database in one of the formats of `golden/export_formats.py`."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from adk_agent_sim.cli.evals.criteria_option import criteria_option
from adk_agent_sim.cli.sessions.database import database_option, find_session
from adk_agent_sim.golden.export_formats import EXPORT_FORMATS, ExportFormat, ExportFormatName, build_eval_set_name
from adk_agent_sim.text.terminal_output import (
    print_document,
    print_json,
    print_line,
    print_lines,
    send_other_output_to_stderr,
)
from adk_agent_sim.text.terminal_tables import format_table
from adk_agent_sim.timeline.file_names import to_file_stem

if TYPE_CHECKING:
    from adk_agent_sim.golden.eval_criteria import EvalCriteria
    from adk_agent_sim.golden.session import SimulationSession
    from adk_agent_sim.timeline.events import Event, Session


def _format_requirement(export_format: ExportFormat) -> str:
    return f"needs {export_format.requirement}" if export_format.requirement else "any session"


def _format_epilog() -> str:
    rows = [("", name, f"{each.label} ({_format_requirement(each)})") for name, each in EXPORT_FORMATS.items()]
    # \b keeps click from joining the lines to one paragraph.
    return "\n".join(("\b\nFormats:", *format_table(rows)))


_REDACTABLE = ", ".join(name for name, each in EXPORT_FORMATS.items() if each.is_redactable)
_APPENDED = " and ".join(name for name, each in EXPORT_FORMATS.items() if each.is_appended)


@click.command(epilog=_format_epilog())
@click.argument("session")
@click.option(
    "--format",
    "format_name",
    type=click.Choice(list(EXPORT_FORMATS)),
    default="evalset",
    show_default=True,
    help="The format to write; see below.",
)
@click.option(
    "--out",
    type=click.Path(dir_okay=False, path_type=Path),
    help=f"The file to write ({_APPENDED}: to append to). By default, evalset and adk-test are named after the agent, "
    "jsonl and markdown are printed.",
)
@click.option(
    "--agent", "agent_dir", type=click.Path(path_type=Path), help="The agent's folder, with evalset and adk-test."
)
@click.option("--finished-only", is_flag=True, help="Leave out a user turn that has no final response yet.")
@click.option(
    "--include-rejected",
    is_flag=True,
    help="With evalset and adk-test: keep structured responses that the agent's output_schema rejected.",
)
@click.option(
    "--redact", is_flag=True, help=f"Remove secrets; with {_REDACTABLE}. Markdown reports are always redacted."
)
@click.option("--force", is_flag=True, help="With adk-test: write the fixture even if `adk test` cannot replay it.")
@criteria_option
@database_option
@click.option("--json", "as_json", is_flag=True, help="Print what was written as JSON.")
def export(
    session: str,
    format_name: ExportFormatName,
    out: Path | None,
    agent_dir: Path | None,
    finished_only: bool,
    include_rejected: bool,
    redact: bool,
    force: bool,
    criteria: EvalCriteria | None,
    database: str,
    as_json: bool,
) -> None:
    """Export SESSION: an id, the beginning of an id, or `last`.

    \b
    adksim export last
    adksim export 3f2a --format markdown --out report.md
    adksim export last --format adk-test --out my_agents/math_agent/tests/sums.json
    adksim export last --criteria in-order --criteria rouge=0.6
    """

    if redact and not EXPORT_FORMATS[format_name].is_redactable:
        raise click.UsageError(
            f"--redact does not work with --format {format_name}, whose values `adk test` compares. "
            f"Use one of {_REDACTABLE}."
        )
    if criteria is not None and format_name != "evalset":
        raise click.UsageError("--criteria needs --format evalset: `adk eval` reads them.")
    stored_session, events, lines = asyncio.run(_read_session(database, session, format_name, redact=redact))
    if format_name in ("evalset", "adk-test"):
        selected = _select_exported(events, finished_only=finished_only, include_rejected=include_rejected)
    else:
        selected = _select_shown(events, finished_only=finished_only)
    if redact:
        selected = _redact(selected)
    match format_name:
        case "jsonl":
            _write_text(out, "\n".join(lines) + "\n", as_json=as_json)
        case "adk-test":
            simulation_session = _build_session(stored_session, selected, agent_dir)
            _write_fixture(simulation_session, selected, out, force=force, as_json=as_json)
        case "evalset":
            left_out = _describe_left_out(events, include_rejected=include_rejected)
            simulation_session = _build_session(stored_session, selected, agent_dir)
            _write_case(simulation_session, left_out, out, criteria, agent_dir, as_json=as_json)
        case _:
            _write_text(out, _render_text(format_name, selected), as_json=as_json)


async def _read_session(
    database: str, name: str, format_name: ExportFormatName, *, redact: bool
) -> tuple[Session, Sequence[Event], list[str]]:
    """Return the session and its events, or its JSON Lines, which include stored blocks that are not events."""
    from adk_agent_sim.persistence.database_store import open_store
    from adk_agent_sim.timeline import jsonl
    from adk_agent_sim.timeline.redaction.redacted_records import iter_redacted_records
    from adk_agent_sim.timeline.timeline import Timeline

    async with open_store(database) as store:
        session = await find_session(Timeline(store), name)
        if format_name != "jsonl":
            return session, await store.read_events(session.session_id), []
        records = (iter_redacted_records if redact else jsonl.iter_records)(store, session)
        return session, (), [jsonl.encode_line(record) async for record in records]


def _select_exported(events: Sequence[Event], *, finished_only: bool, include_rejected: bool) -> Sequence[Event]:
    from adk_agent_sim.golden.session import select_exported_events

    return select_exported_events(events, finished_only=finished_only, include_rejected=include_rejected)


def _select_shown(events: Sequence[Event], *, finished_only: bool) -> Sequence[Event]:
    """Select the events of a report, which shows injected faults and rejected responses too."""
    from adk_agent_sim.golden.session import select_finished_events
    from adk_agent_sim.timeline.undone_events import remove_undone_events

    return select_finished_events(events) if finished_only else remove_undone_events(events)


def _redact(events: Sequence[Event]) -> Sequence[Event]:
    from adk_agent_sim.timeline.redaction.redactor import redact_events

    return redact_events(events)


def _describe_left_out(events: Sequence[Event], *, include_rejected: bool) -> list[str]:
    from adk_agent_sim.golden.user_turns import describe_left_out

    return describe_left_out(events, include_rejected=include_rejected)


def _render_text(format_name: ExportFormatName, events: Sequence[Event]) -> str:
    from adk_agent_sim.golden.text_renderers import TEXT_RENDERERS

    return TEXT_RENDERERS[format_name](events)


def _write_text(out: Path | None, text: str, *, as_json: bool) -> None:
    from adk_agent_sim.timeline.atomic_files import atomic_write_text
    from adk_agent_sim.timeline.write_errors import explain_write_errors

    if out is None:
        print_json({"path": None, "text": text}, indent=None) if as_json else print_document(text)
        return
    with explain_write_errors(out):
        atomic_write_text(out, text)
    print_json({"path": str(out)}, indent=None) if as_json else print_line(f"Wrote {out}")


def _write_fixture(
    session: SimulationSession, events: Sequence[Event], out: Path | None, *, force: bool, as_json: bool
) -> None:
    from adk_agent_sim.golden.adk_test_fixture import write_adk_test_fixture

    stem = to_file_stem(f"{session.agent_name}_{session.session_id[:8]}")
    path = out or Path(f"{stem}{EXPORT_FORMATS['adk-test'].extension}")
    write_adk_test_fixture(session, events, path, force=force)
    if as_json:
        print_json({"path": str(path)}, indent=None)
    else:
        print_line(f"Wrote {path}; `adk test` looks for fixtures in tests/")


def _write_case(
    session: SimulationSession,
    left_out: Sequence[str],
    out: Path | None,
    criteria: EvalCriteria | None,
    agent_dir: Path | None,
    *,
    as_json: bool,
) -> None:
    from adk_agent_sim.golden.eval_agent_folder import describe_unloadable_folder
    from adk_agent_sim.golden.eval_criteria import build_eval_command, check_config, write_criteria
    from adk_agent_sim.golden.eval_set import EvalSetWriter
    from adk_agent_sim.golden.golden_trace_builder import GoldenTraceBuilder

    path = out or Path(build_eval_set_name(session.agent_name))
    builder = GoldenTraceBuilder(session)
    if criteria is not None:
        check_config(path, criteria)  # before the case is written
    case = EvalSetWriter(path, session.agent_name).write_eval_case(builder.build())
    notes = [
        *describe_unloadable_folder(agent_dir),
        *builder.collect_notes(),
        *left_out,
        *(criteria.describe_needs() if criteria else ()),
    ]
    config_path = write_criteria(path, criteria) if criteria else None
    if as_json:
        written = {"criteria_path": str(config_path)} if config_path else {}
        print_json({"path": str(path), "eval_id": case.eval_id, **written, "notes": notes})
        return
    print_lines([f"Wrote {case.eval_id} to {path}", *(f"  {note}" for note in notes)])
    if config_path is not None:
        folder = shlex.quote(str(agent_dir)) if agent_dir else "AGENT_FOLDER"
        print_lines([f"Wrote the criteria to {config_path}", build_eval_command("adk", folder, path, config_path)])


def _build_session(stored_session: Session, events: Sequence[Event], agent_dir: Path | None) -> SimulationSession:
    """Build the session that exporters read.

    The agent ran in another process. Unless its folder is given, only its name is known and a placeholder stands in.
    """
    from adk_agent_sim.adk.loading.agent_loader import create_placeholder_agent, load_app
    from adk_agent_sim.golden.session import SimulatedAgentConfig, SimulationSession
    from adk_agent_sim.timeline.read_model.session_summary import create_summary
    from adk_agent_sim.timeline.read_model.summary_fold import fold_events

    name = fold_events(create_summary(stored_session), events).agent_name or "agent"
    with send_other_output_to_stderr():
        agent = load_app(agent_dir).root_agent if agent_dir else None
    config = SimulatedAgentConfig(
        name=name,
        agent=agent or create_placeholder_agent(name),
        eval_set_path=f"{to_file_stem(name)}{EXPORT_FORMATS['evalset'].extension}",
    )
    return SimulationSession.from_events(config, stored_session.session_id, events)

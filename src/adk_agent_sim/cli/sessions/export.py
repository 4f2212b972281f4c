"""`adksim export`: writes a session of a database in one of the formats of `golden/export_formats.py`."""

from __future__ import annotations

import asyncio
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING

import click

from adk_agent_sim.cli.exit_codes import report_wrong_usage
from adk_agent_sim.cli.shared_options import criteria_option, database_option
from adk_agent_sim.errors import StoreFailed
from adk_agent_sim.golden.export_formats import EXPORT_FORMATS, ExportFormat, ExportFormatName
from adk_agent_sim.text.terminal_output import (
    format_table,
    print_document,
    print_json,
    print_line,
    print_lines,
    send_other_output_to_stderr,
)

if TYPE_CHECKING:
    from adk_agent_sim.golden.eval_criteria import EvalCriteria
    from adk_agent_sim.golden.session import SimulatedAgentConfig
    from adk_agent_sim.timeline.read_model.session_summary import ExportEntry
    from adk_agent_sim.use_cases.export_records import ExportRequest, ExportResult


def _format_requirement(export_format: ExportFormat) -> str:
    return f"needs {export_format.requirement}" if export_format.requirement else "any session"


def _format_epilog() -> str:
    rows = [("", name, f"{each.label} ({_format_requirement(each)})") for name, each in EXPORT_FORMATS.items()]
    # \b keeps click from joining the lines to one paragraph.
    return "\n".join(("\b\nFormats:", *format_table(rows)))


_REDACTABLE = ", ".join(name for name, each in EXPORT_FORMATS.items() if each.is_redactable)
_REDACTED = ", ".join(name for name, each in EXPORT_FORMATS.items() if each.is_redacted_by_default)
_APPENDED = " and ".join(name for name, each in EXPORT_FORMATS.items() if each.is_appended)
_TRACES = " and ".join(name for name, each in EXPORT_FORMATS.items() if each.is_golden_trace)
_PRINTED = " and ".join(name for name, each in EXPORT_FORMATS.items() if not each.is_golden_trace)


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
    type=click.Path(dir_okay=False),
    help=f"The file to write ({_APPENDED}: to append to). By default, {_TRACES} are named after the agent, "
    f"{_PRINTED} are printed.",
)
@click.option("--agent", "agent_dir", type=click.Path(path_type=Path), help=f"The agent's folder, with {_TRACES}.")
@click.option("--finished-only", is_flag=True, help="Leave out a user turn that has no final response yet.")
@click.option(
    "--include-rejected",
    is_flag=True,
    help=f"With {_TRACES}: keep structured responses that the agent's output_schema rejected.",
)
@click.option(
    "--redact/--no-redact",
    default=None,
    help=f"Remove secrets; with {_REDACTABLE}. By default with {_REDACTED}.",
)
@click.option("--again", is_flag=True, help=f"With {_TRACES}: write it although the session was exported before.")
@click.option("--replace", is_flag=True, help="Replace the earlier export of the session, or the file --out.")
@click.option("--force", is_flag=True, help="With adk-test: write the fixture even if `adk test` cannot replay it.")
@criteria_option
@database_option
@click.option("--json", "as_json", is_flag=True, help="Print what was written as JSON.")
def export(
    session: str,
    format_name: ExportFormatName,
    out: str | None,
    agent_dir: Path | None,
    finished_only: bool,
    include_rejected: bool,
    redact: bool | None,
    again: bool,
    replace: bool,
    force: bool,
    criteria: EvalCriteria | None,
    database: str,
    as_json: bool,
) -> None:
    """Export SESSION: an id, the beginning of an id, or `last`.

    The session is then listed as exported. A golden trace is written once, and no file is overwritten, unless you ask
    for it with --again or --replace.

    \b
    adksim export last
    adksim export 3f2a --format markdown --out report.md
    adksim export last --format adk-test --agent my_agents/math_agent
    adksim export last --criteria in-order --criteria rouge=0.6
    """
    from adk_agent_sim.use_cases.export_records import ExportRequest

    with report_wrong_usage():
        request = ExportRequest(
            format=format_name,
            path=out,
            again=again,
            replace=replace,
            force=force,
            finished_only=finished_only,
            include_rejected=include_rejected,
            redact=redact,
            criteria=criteria,
        )
    agent = _load_agent(agent_dir) if agent_dir is not None else None
    is_printed = out is None and not EXPORT_FORMATS[format_name].is_golden_trace
    result = asyncio.run(_export_session(database, session, request, agent, is_printed=is_printed))
    if isinstance(result, str):
        print_json({"path": None, "text": result}, indent=None) if as_json else print_document(result)
    else:
        print_json(result.model_dump(mode="json")) if as_json else _print_result(result)


def _load_agent(agent_dir: Path) -> SimulatedAgentConfig | None:
    from adk_agent_sim.adk.loading.agent_folder import AgentFolder

    path = agent_dir.resolve()
    with send_other_output_to_stderr():
        folder = AgentFolder(path.parent, only=path.name)
        folder.preload()
    return folder.preloaded


async def _export_session(
    database: str, name: str, request: ExportRequest, agent: SimulatedAgentConfig | None, *, is_printed: bool
) -> ExportResult | str:
    """Return what was written, or the text to print."""
    from adk_agent_sim.persistence.database_lock import lock_if_free
    from adk_agent_sim.persistence.database_store import open_store
    from adk_agent_sim.timeline.timeline import Timeline
    from adk_agent_sim.use_cases.exports import export_session, render_export
    from adk_agent_sim.use_cases.sessions import find_session

    async with open_store(database) as store:
        timeline = Timeline(store)
        session_id = (await find_session(timeline, name)).session_id
        if is_printed:
            return await render_export(timeline, session_id, request, agent)
        async with lock_if_free(database) as may_write:
            record = None if may_write else _record_on_server
            return await export_session(timeline, session_id, request, agent, record=record)


async def _record_on_server(session_id: str, entry: ExportEntry) -> None:
    """Let the server record an export that has the database; raise StoreFailed if it cannot be asked."""
    from adk_agent_sim.link.server_entry import find_server, request_json

    server = await asyncio.to_thread(find_server, session_id)
    path = f"/api/sessions/{session_id}/exports"
    answer = await asyncio.to_thread(request_json, server, "POST", path, asdict(entry)) if server else None
    if answer is None or not answer.is_ok:
        reason = "another process uses it, and no server of yours that has the session answers"
        raise StoreFailed("the database", "write to", reason, "Export it with --replace when that process has ended.")


def _print_result(result: ExportResult) -> None:
    print_line(f"Wrote {result.eval_id} to {result.path}")
    print_lines([f"  {note}" for note in (*result.left_out, *result.warnings)])
    if result.criteria_path is not None:
        print_line(f"Wrote the criteria to {result.criteria_path}")
    if result.command:
        print_line(result.command)

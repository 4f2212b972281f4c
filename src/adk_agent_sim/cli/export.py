"""`adksim export`: a session of a database as a golden trace, a fixture, a file or a report."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from adk_agent_sim.cli.database import database_option, find_session

if TYPE_CHECKING:
    from adk_agent_sim.golden.session import SimulationSession
    from adk_agent_sim.timeline.events import Event, Session

ExportFormat = Literal["evalset", "adk-test", "jsonl", "markdown"]


@click.command()
@click.argument("session")
@click.option(
    "--format",
    "form",
    type=click.Choice(["evalset", "adk-test", "jsonl", "markdown"]),
    default="evalset",
    show_default=True,
    help="A golden trace for `adk eval`, a fixture for `adk test`, the whole timeline, or a report for people.",
)
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="The file; a golden trace is added to it.")
@click.option("--agent", "agent_dir", type=click.Path(path_type=Path), help="The agent's folder, for a fixture.")
@click.option("--finished-only", is_flag=True, help="Leave out a user turn that is still open.")
@click.option("--redact", is_flag=True, help="Take secrets out of a golden trace; a report never has any.")
@click.option("--anyway", is_flag=True, help="Write a fixture although `adk test` cannot replay it.")
@database_option
@click.option("--json", "as_json", is_flag=True, help="Print what was written as JSON.")
def export(
    session: str,
    form: ExportFormat,
    out: Path | None,
    agent_dir: Path | None,
    finished_only: bool,
    redact: bool,
    anyway: bool,
    database: str,
    as_json: bool,
) -> None:
    """Export SESSION: its id, the beginning of it, or `last`."""
    from adk_agent_sim.cli.terminal import silence_adk_logging

    silence_adk_logging()
    placed, events, lines = asyncio.run(_read_session(database, session, form))
    kept = _filter_events(events, finished_only=finished_only, redact=redact)
    match form:
        case "jsonl":
            _write_text(out, "\n".join(lines) + "\n", as_json=as_json)
        case "markdown":
            _write_text(out, _render_markdown(events), as_json=as_json)
        case "adk-test":
            _write_fixture(_build_session(placed, kept, agent_dir), kept, out, anyway=anyway, as_json=as_json)
        case "evalset":
            _write_case(_build_session(placed, kept, agent_dir), out, as_json=as_json)


async def _read_session(
    database: str, name: str, export_format: ExportFormat
) -> tuple[Session, Sequence[Event], list[str]]:
    from adk_agent_sim.persistence.database_store import open_store
    from adk_agent_sim.timeline import jsonl
    from adk_agent_sim.timeline.timeline import Timeline

    async with open_store(database) as store:
        session = await find_session(Timeline(store), name)
        if export_format != "jsonl":
            return session, await store.read_events(session.session_id), []
        return session, (), [jsonl.encode_line(record) async for record in jsonl.iter_records(store, session)]


def _filter_events(events: Sequence[Event], *, finished_only: bool, redact: bool) -> Sequence[Event]:
    from adk_agent_sim.golden.session import select_finished_events
    from adk_agent_sim.timeline.redaction import redact_events

    kept = select_finished_events(events) if finished_only else events
    return redact_events(kept) if redact else kept


def _render_markdown(events: Sequence[Event]) -> str:
    from adk_agent_sim.golden.markdown_report import render_markdown_report

    return render_markdown_report(events)


def _write_text(out: Path | None, text: str, *, as_json: bool) -> None:
    from adk_agent_sim.timeline.atomic_files import atomic_write_text

    if out is None:
        click.echo(text, nl=False)
        return
    atomic_write_text(out, text)
    click.echo(json.dumps({"path": str(out)}) if as_json else f"Wrote {out}")


def _write_fixture(
    session: SimulationSession, events: Sequence[Event], out: Path | None, *, anyway: bool, as_json: bool
) -> None:
    from adk_agent_sim.golden.adk_test_fixture import write_adk_test_fixture

    path = out or Path(f"{session.agent_name}_{session.session_id[:8]}.json")
    write_adk_test_fixture(session, events, path, anyway=anyway)
    click.echo(json.dumps({"path": str(path)}) if as_json else f"Wrote {path}; `adk test` looks for it in tests/")


def _write_case(session: SimulationSession, out: Path | None, *, as_json: bool) -> None:
    from adk_agent_sim.golden.eval_set import EvalSetWriter
    from adk_agent_sim.golden.golden_trace_builder import GoldenTraceBuilder

    path = out or Path(f"{session.agent_name}.evalset.json")
    builder = GoldenTraceBuilder(session)
    case = EvalSetWriter(path, session.agent_name).write_eval_case(builder.build())
    notes = builder.collect_notes()
    if as_json:
        written = {"path": str(path), "eval_id": case.eval_id, "notes": notes}
        click.echo(json.dumps(written, indent=2, ensure_ascii=False))
        return
    click.echo("\n  ".join([f"Wrote {case.eval_id} to {path}", *notes]))


def _build_session(stored_session: Session, events: Sequence[Event], agent_dir: Path | None) -> SimulationSession:
    """The session as data; the agent itself, which ran elsewhere, is only known by name unless its folder is given."""
    from adk_agent_sim.adk.agent_loader import create_placeholder_agent, load_app
    from adk_agent_sim.golden.session import SimulatedAgentConfig, SimulationSession
    from adk_agent_sim.timeline.session_progress import SessionProgress

    name = SessionProgress().with_events(events).agent_name or "agent"
    agent = load_app(agent_dir).root_agent if agent_dir else None
    config = SimulatedAgentConfig(
        name=name, agent=agent or create_placeholder_agent(name), eval_set_path=f"{name}.evalset.json"
    )
    return SimulationSession.from_events(config, stored_session.session_id, events)

"""`adksim export`: a session of a database as a golden trace, a fixture, a file or a report."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import click

from adk_agent_sim.cli.database import database_option, session_named

if TYPE_CHECKING:
    from adk_agent_sim.golden.session import SimulationSession
    from adk_agent_sim.timeline.events import Event, Session

Format = Literal["evalset", "adk-test", "jsonl", "markdown"]


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
    form: Format,
    out: Path | None,
    agent_dir: Path | None,
    finished_only: bool,
    redact: bool,
    anyway: bool,
    database: str,
    as_json: bool,
) -> None:
    """Export SESSION: its id, the beginning of it, or `last`."""
    from adk_agent_sim.cli.terminal import quiet

    quiet()
    placed, events, lines = asyncio.run(_read(database, session, form))
    kept = _kept(events, finished_only=finished_only, redact=redact)
    match form:
        case "jsonl":
            _write_text(out, "\n".join(lines) + "\n", as_json=as_json)
        case "markdown":
            _write_text(out, _report(events), as_json=as_json)
        case "adk-test":
            _write_fixture(_session(placed, kept, agent_dir), kept, out, anyway=anyway, as_json=as_json)
        case "evalset":
            _write_case(_session(placed, kept, agent_dir), out, as_json=as_json)


async def _read(database: str, name: str, form: Format) -> tuple[Session, Sequence[Event], list[str]]:
    from adk_agent_sim.persistence.store import open_store
    from adk_agent_sim.timeline import jsonl
    from adk_agent_sim.timeline.timeline import Timeline

    async with open_store(database) as store:
        session = await session_named(Timeline(store), name)
        if form != "jsonl":
            return session, await store.read(session.session_id), []
        return session, (), [jsonl.encode_line(record) async for record in jsonl.records(store, session)]


def _kept(events: Sequence[Event], *, finished_only: bool, redact: bool) -> Sequence[Event]:
    from adk_agent_sim.golden.session import finished_part
    from adk_agent_sim.timeline.redact import redacted

    kept = finished_part(events) if finished_only else events
    return redacted(kept) if redact else kept


def _report(events: Sequence[Event]) -> str:
    from adk_agent_sim.golden.report import markdown

    return markdown(events)


def _write_text(out: Path | None, text: str, *, as_json: bool) -> None:
    from adk_agent_sim.timeline.files import write_text

    if out is None:
        click.echo(text, nl=False)
        return
    write_text(out, text)
    click.echo(json.dumps({"path": str(out)}) if as_json else f"Wrote {out}")


def _write_fixture(
    session: SimulationSession, events: Sequence[Event], out: Path | None, *, anyway: bool, as_json: bool
) -> None:
    from adk_agent_sim.golden.adk_test import write_adk_test

    path = out or Path(f"{session.agent_name}_{session.session_id[:8]}.json")
    write_adk_test(session, events, path, anyway=anyway)
    click.echo(json.dumps({"path": str(path)}) if as_json else f"Wrote {path}; `adk test` looks for it in tests/")


def _write_case(session: SimulationSession, out: Path | None, *, as_json: bool) -> None:
    from adk_agent_sim.golden.builder import GoldenTraceBuilder
    from adk_agent_sim.golden.eval_set import EvalSetWriter

    path = out or Path(f"{session.agent_name}.evalset.json")
    builder = GoldenTraceBuilder(session)
    case = EvalSetWriter(path, session.agent_name).write_eval_case(builder.build())
    notes = builder.notes()
    if as_json:
        written = {"path": str(path), "eval_id": case.eval_id, "notes": notes}
        click.echo(json.dumps(written, indent=2, ensure_ascii=False))
        return
    click.echo("\n  ".join([f"Wrote {case.eval_id} to {path}", *notes]))


def _session(placed: Session, events: Sequence[Event], agent_dir: Path | None) -> SimulationSession:
    """The session as data; the agent itself, which ran elsewhere, is only known by name unless its folder is given."""
    from adk_agent_sim.adk.agents import load_app, named_agent
    from adk_agent_sim.golden.session import SimulatedAgentConfig, SimulationSession
    from adk_agent_sim.timeline.progress import Progress

    name = Progress().after_all(events).agent_name or "agent"
    agent = load_app(agent_dir).root_agent if agent_dir else None
    config = SimulatedAgentConfig(name=name, agent=agent or named_agent(name), eval_set_path=f"{name}.evalset.json")
    return SimulationSession.of(config, placed.session_id, events)

"""Writes a session as a golden trace, where the agent's config says and nowhere else."""

from __future__ import annotations

import asyncio
import json
import shlex
from collections.abc import Sequence
from pathlib import Path

from adk_agent_sim.adk.agent_loader import create_placeholder_agent
from adk_agent_sim.errors import AlreadyExported
from adk_agent_sim.golden.adk_test_fixture import build_adk_test_fixture, write_adk_test_fixture
from adk_agent_sim.golden.eval_set import EvalSetWriter, find_case_id
from adk_agent_sim.golden.golden_trace_builder import GoldenTraceBuilder, build_eval_id
from adk_agent_sim.golden.session import SimulatedAgentConfig, SimulationSession, select_finished_events
from adk_agent_sim.server.api_models import ExportInput, ExportRecord, ExportResult
from adk_agent_sim.timeline.clock import Clock
from adk_agent_sim.timeline.events import Event
from adk_agent_sim.timeline.json_conversion import to_json_value


def build_remote_agent_config(agent_name: str) -> SimulatedAgentConfig:
    """Where the sessions of an agent that runs elsewhere go: an EvalSet in the server's own folder."""
    agent = create_placeholder_agent(agent_name or "agent")
    return SimulatedAgentConfig(name=agent_name or "agent", agent=agent, eval_set_path=f"{agent.name}.evalset.json")


class SessionExports:
    """What was exported of each session; one export at a time, so that a second one of a session is always noticed."""

    def __init__(self) -> None:
        self._records: dict[str, list[ExportRecord]] = {}
        self._write_lock = asyncio.Lock()

    def get_records(self, session_id: str) -> list[ExportRecord]:
        """What this process has exported of a session."""
        return self._records.get(session_id, [])

    def remove_session(self, session_id: str) -> None:
        """The session is gone; its files stay."""
        self._records.pop(session_id, None)

    async def export(
        self,
        export_input: ExportInput,
        config: SimulatedAgentConfig,
        session_id: str,
        events: Sequence[Event],
        *,
        has_tool_error_plugin: bool,
        clock: Clock,
    ) -> ExportResult:
        """Write the finished part of a session; what is not finished is told in the notes."""
        write = _export_eval_set if export_input.format == "evalset" else _export_adk_test
        async with self._write_lock:
            if not export_input.again:
                await self._check_not_exported(export_input, config, session_id)
            result = await asyncio.to_thread(
                write, export_input, config, session_id, events, has_tool_error_plugin, clock.now()
            )
            self._records.setdefault(session_id, []).append(result.record)
        return result

    async def _check_not_exported(
        self, export_input: ExportInput, config: SimulatedAgentConfig, session_id: str
    ) -> None:
        """Refuse what was exported before, by this process or by one that is over."""
        before = [one for one in self.get_records(session_id) if one.format == export_input.format]
        if before:
            raise AlreadyExported(before[-1].path, before[-1].eval_id)
        if export_input.format != "evalset":
            return  # a fixture has a file of its own for every export
        path = config.resolve_eval_set_path()
        if (known := await asyncio.to_thread(find_case_id, path, session_id)) is not None:
            raise AlreadyExported(str(path), known)


def _export_eval_set(
    export_input: ExportInput,
    config: SimulatedAgentConfig,
    session_id: str,
    events: Sequence[Event],
    has_tool_error_plugin: bool,
    now: float,
) -> ExportResult:
    session = SimulationSession.from_events(config, session_id, select_finished_events(events))
    notes = GoldenTraceBuilder(SimulationSession.from_events(config, session_id, events)).collect_notes(
        has_tool_error_plugin=has_tool_error_plugin
    )
    path = config.resolve_eval_set_path()
    case = EvalSetWriter(path, session.agent_name).write_eval_case(GoldenTraceBuilder(session).build())
    return ExportResult(
        record=ExportRecord(format=export_input.format, path=str(path), eval_id=case.eval_id, exported_at=now),
        case_json=_format_json(to_json_value(case)),
        command=f"adk eval {_quote_folder(config)} {shlex.quote(str(path))}",
        notes=notes,
    )


def _export_adk_test(
    export_input: ExportInput,
    config: SimulatedAgentConfig,
    session_id: str,
    events: Sequence[Event],
    has_tool_error_plugin: bool,
    now: float,
) -> ExportResult:
    finished = select_finished_events(events)
    session = SimulationSession.from_events(config, session_id, finished)
    name = build_eval_id(session.agent_name, session.start_timestamp, "selectable")
    beside = config.folder or config.resolve_eval_set_path().parent
    path = _find_free_path(Path(beside) / "tests", name)
    write_adk_test_fixture(
        session, finished, path, has_tool_error_plugin=has_tool_error_plugin, anyway=export_input.anyway
    )
    move = f"`adk test` reads fixtures from the folder tests beside agent.py: move {path} there."
    return ExportResult(
        record=ExportRecord(format=export_input.format, path=str(path), eval_id=path.stem, exported_at=now),
        case_json=_format_json(build_adk_test_fixture(session, finished)),
        command=f"adk test {_quote_folder(config)}",
        notes=[] if config.folder else [move],
    )


def _find_free_path(folder: Path, name: str) -> Path:
    path, number = folder / f"{name}.json", 1
    while path.exists():
        number += 1
        path = folder / f"{name}_{number}.json"
    return path


def _quote_folder(config: SimulatedAgentConfig) -> str:
    return shlex.quote(str(config.folder)) if config.folder is not None else "AGENT_FOLDER"


def _format_json(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)

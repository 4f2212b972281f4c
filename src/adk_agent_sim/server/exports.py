"""Writes a session as a golden trace, where the agent's config says and nowhere else."""

from __future__ import annotations

import asyncio
import json
import shlex
from collections.abc import Sequence
from pathlib import Path

from adk_agent_sim.adk.agents import named_agent
from adk_agent_sim.errors import ExportedBefore
from adk_agent_sim.golden.adk_test import adk_test_fixture, write_adk_test
from adk_agent_sim.golden.builder import GoldenTraceBuilder, eval_id
from adk_agent_sim.golden.eval_set import EvalSetWriter, id_of_case
from adk_agent_sim.golden.session import SimulatedAgentConfig, SimulationSession, finished_part
from adk_agent_sim.server.shapes import Exported, ExportOrder, ExportResult
from adk_agent_sim.timeline.clock import Clock
from adk_agent_sim.timeline.events import Event
from adk_agent_sim.timeline.jsonable import jsonable


def config_elsewhere(agent_name: str) -> SimulatedAgentConfig:
    """Where the sessions of an agent that runs elsewhere go: an EvalSet in the server's own folder."""
    agent = named_agent(agent_name or "agent")
    return SimulatedAgentConfig(name=agent_name or "agent", agent=agent, eval_set_path=f"{agent.name}.evalset.json")


class Exports:
    """What was exported of each session; one export at a time, so that a second one of a session is always noticed."""

    def __init__(self) -> None:
        self._done: dict[str, list[Exported]] = {}
        self._writing = asyncio.Lock()

    def of(self, session_id: str) -> list[Exported]:
        """What this process has exported of a session."""
        return self._done.get(session_id, [])

    def forget(self, session_id: str) -> None:
        """The session is gone; its files stay."""
        self._done.pop(session_id, None)

    async def write(
        self,
        order: ExportOrder,
        config: SimulatedAgentConfig,
        session_id: str,
        events: Sequence[Event],
        *,
        answers_errors: bool,
        clock: Clock,
    ) -> ExportResult:
        """Write the finished part of a session; what is not finished is told in the notes."""
        write = _to_eval_set if order.format == "evalset" else _to_adk_test
        async with self._writing:
            if not order.again:
                await self._check_new(order, config, session_id)
            result = await asyncio.to_thread(write, order, config, session_id, events, answers_errors, clock.now())
            self._done.setdefault(session_id, []).append(result.exported)
        return result

    async def _check_new(self, order: ExportOrder, config: SimulatedAgentConfig, session_id: str) -> None:
        """Refuse what was exported before, by this process or by one that is over."""
        before = [one for one in self.of(session_id) if one.format == order.format]
        if before:
            raise ExportedBefore(before[-1].path, before[-1].eval_id)
        if order.format != "evalset":
            return  # a fixture has a file of its own for every export
        path = config.resolve_eval_set_path()
        if (known := await asyncio.to_thread(id_of_case, path, session_id)) is not None:
            raise ExportedBefore(str(path), known)


def _to_eval_set(
    order: ExportOrder,
    config: SimulatedAgentConfig,
    session_id: str,
    events: Sequence[Event],
    answers_errors: bool,
    now: float,
) -> ExportResult:
    session = SimulationSession.of(config, session_id, finished_part(events))
    notes = GoldenTraceBuilder(SimulationSession.of(config, session_id, events)).notes(answers_errors=answers_errors)
    path = config.resolve_eval_set_path()
    case = EvalSetWriter(path, session.agent_name).write_eval_case(GoldenTraceBuilder(session).build())
    return ExportResult(
        exported=Exported(format=order.format, path=str(path), eval_id=case.eval_id, at=now),
        case=_written(jsonable(case)),
        command=f"adk eval {_folder(config)} {shlex.quote(str(path))}",
        notes=notes,
    )


def _to_adk_test(
    order: ExportOrder,
    config: SimulatedAgentConfig,
    session_id: str,
    events: Sequence[Event],
    answers_errors: bool,
    now: float,
) -> ExportResult:
    finished = finished_part(events)
    session = SimulationSession.of(config, session_id, finished)
    name = eval_id(session.agent_name, session.start_timestamp, "selectable")
    beside = config.folder or config.resolve_eval_set_path().parent
    path = _free(Path(beside) / "tests", name)
    write_adk_test(session, finished, path, answers_errors=answers_errors, anyway=order.anyway)
    move = f"`adk test` reads fixtures from the folder tests beside agent.py: move {path} there."
    return ExportResult(
        exported=Exported(format=order.format, path=str(path), eval_id=path.stem, at=now),
        case=_written(adk_test_fixture(session, finished)),
        command=f"adk test {_folder(config)}",
        notes=[] if config.folder else [move],
    )


def _free(folder: Path, name: str) -> Path:
    path, number = folder / f"{name}.json", 1
    while path.exists():
        number += 1
        path = folder / f"{name}_{number}.json"
    return path


def _folder(config: SimulatedAgentConfig) -> str:
    return shlex.quote(str(config.folder)) if config.folder is not None else "AGENT_FOLDER"


def _written(value: object) -> str:
    return json.dumps(value, indent=2, ensure_ascii=False)

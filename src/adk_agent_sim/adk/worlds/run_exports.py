"""Exports of a run in a world: ARE's trace, an EvalSet case, the timeline, a Markdown report and an HTML report."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from adk_agent_sim.adk.worlds.html_report import render_html_report
from adk_agent_sim.adk.worlds.markdown_result import render_markdown_result
from adk_agent_sim.adk.worlds.run_redaction import build_run_redactor
from adk_agent_sim.adk.worlds.run_result import WorldRunResult
from adk_agent_sim.adk.worlds.world_clock import WorldClock
from adk_agent_sim.adk.worlds.world_run import WorldRun
from adk_agent_sim.errors import ExportRefused, SimulatorError
from adk_agent_sim.golden.eval_set import EvalSetWriter
from adk_agent_sim.golden.export_source import ExportSource
from adk_agent_sim.golden.markdown_report import render_markdown_report
from adk_agent_sim.golden.session import SimulatedAgentConfig
from adk_agent_sim.scenario.format.exporter import RunMetadata, convert_to_are, serialize_trace
from adk_agent_sim.scenario.format.models import ExportedTrace
from adk_agent_sim.timeline import jsonl
from adk_agent_sim.timeline.atomic_files import atomic_write_text
from adk_agent_sim.timeline.events import Event


@dataclass(frozen=True, kw_only=True)
class RunExports:
    """The files that are written after a run; None for those that are not."""

    trace: str | None = None
    """What happened in the world, in ARE's format."""

    eval_set: str | None = None
    """The EvalSet to which the session is appended as a case."""

    markdown: str | None = None

    report: str | None = None
    """A page of HTML without anything from elsewhere."""

    timeline: str | None = None
    """The whole session as JSON Lines."""


async def write_exports(run: WorldRun, result: WorldRunResult, exports: RunExports) -> WorldRunResult:
    """Write the files of a run that has ended, and return its result with why some could not be written.

    One that cannot be written, such as a case of a session that was stopped in the middle, does not cost the others or
    the result.
    """
    problems: list[str] = []
    for name, write in _WRITERS.items():
        path = getattr(exports, name)
        if path is not None:
            try:
                await write(run, result, Path(path))
            except (SimulatorError, OSError) as error:
                problems.append(f"{path} was not written: {error}")
    return result.model_copy(update={"export_problems": tuple(problems)})


async def _write_trace(run: WorldRun, result: WorldRunResult, path: Path) -> None:
    atomic_write_text(path, serialize_trace(build_trace(run, result), indent=2) + "\n")


async def _write_eval_set(run: WorldRun, result: WorldRunResult, path: Path) -> None:
    write_eval_case(run, await read_log(run), path)


async def _write_markdown(run: WorldRun, result: WorldRunResult, path: Path) -> None:
    log = await read_log(run)
    redactor = build_run_redactor(run.world, log)
    session = render_markdown_report([redactor.redact_event(event) for event in log], redact=False)
    atomic_write_text(path, f"{render_markdown_result(run.world, result, redactor)}\n{session}")


async def _write_report(run: WorldRun, result: WorldRunResult, path: Path) -> None:
    log = await read_log(run)
    atomic_write_text(path, render_html_report(run.world, result, log, has_world_times=run.store is not None))


async def _write_timeline(run: WorldRun, result: WorldRunResult, path: Path) -> None:
    if run.store is None:
        raise ExportRefused("The session is on another timeline. Export it from there.")
    session = await run.timeline.get_session(get_session_id(run))
    await jsonl.write_records(jsonl.iter_records(run.store, session), path)


_WRITERS: Mapping[str, Callable[[WorldRun, WorldRunResult, Path], Awaitable[None]]] = {
    "trace": _write_trace,
    "eval_set": _write_eval_set,
    "markdown": _write_markdown,
    "report": _write_report,
    "timeline": _write_timeline,
}
"""One entry for each field of `RunExports`."""


def build_trace(run: WorldRun, result: WorldRunResult) -> ExportedTrace:
    """Return what happened as a trace that ARE reads, with the metadata of the run."""
    metadata = RunMetadata(
        agent_id=result.metadata.agent_id,
        model_id=result.metadata.model_id,
        run_number=result.metadata.run_number,
        exception=run.failure,
        augmentation=run.augmentation,
    )
    return convert_to_are(run.world.export_trace(metadata))[0]


def write_eval_case(run: WorldRun, log: Sequence[Event], path: Path) -> None:
    """Append the session of a run to an EvalSet; raise ExportRefused if it cannot be a case."""
    assert run.agent_run is not None  # noqa: S101 - the run has ended
    agent_run, clock = run.agent_run, WorldClock(run.world)
    config = SimulatedAgentConfig(name=agent_run.name, agent=agent_run.root_agent, eval_set_path=path)
    source = ExportSource(config=config, session_id=get_session_id(run), events=log, finished_only=True)
    EvalSetWriter(config.resolve_eval_set_path(), source.session.agent_name, clock).write_eval_case(source.case)


def get_session_id(run: WorldRun) -> str:
    """Return the id of the run's session on its timeline."""
    assert run.agent_run is not None  # noqa: S101 - the run has ended
    return run.agent_run.recorded_session.session_id


async def read_log(run: WorldRun) -> Sequence[Event]:
    """Return the events on the timeline of a run."""
    return await run.timeline.read_events(get_session_id(run))

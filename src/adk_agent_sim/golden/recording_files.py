"""Reads recordings from files: timelines, EvalSets of all formats, ADK sessions, fixtures of `adk test`, cassettes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from adk_agent_sim.errors import ImportRefused, ReplayImpossible
from adk_agent_sim.golden.cassette_files import read_cassette
from adk_agent_sim.golden.cassette_recording import build_cassette_recordings
from adk_agent_sim.golden.eval_set import summarize_error
from adk_agent_sim.golden.eval_set_files import read_eval_cases
from adk_agent_sim.golden.importers import convert_eval_case_to_events, import_adk_session
from adk_agent_sim.golden.recording import Recording
from adk_agent_sim.golden.recording_builder import build_recording
from adk_agent_sim.golden.trace_kind import TraceKind, detect_trace_kind
from adk_agent_sim.timeline import jsonl
from adk_agent_sim.timeline.events import Event


def read_recordings(path: Path, name: str | None = None) -> list[Recording]:
    """Return the recordings in a file, whose content decides how it is read.

    Args:
        path: The file.
        name: Return only the case with this eval id, or the session with this id.

    Raises:
        ImportRefused: There is no such file, or it is something else.
        ReplayImpossible: It has no recording with the name.
    """
    kind = detect_trace_kind(path)
    if kind is None:
        raise ImportRefused(str(path), "a recording", _describe_unknown_file(path))
    try:
        recordings = _READERS[kind](path)
    except (OSError, ValueError) as error:
        raise ImportRefused(str(path), "a recording", summarize_error(error)) from error
    if name is None:
        return recordings
    matching = [recording for recording in recordings if recording.name == name]
    if not matching:
        names = ", ".join(recording.name for recording in recordings)
        raise ReplayImpossible(f"{path} has no case {name!r}; it has: {names}")
    return matching


def _describe_unknown_file(path: Path) -> str:
    if not path.exists():
        return "there is no such file"
    if path.is_dir():
        return "it is a folder"
    return (
        "it is none of: an EvalSet, an ADK session or fixture of `adk test`, a timeline that `adksim export` wrote, "
        "a model cassette"
    )


def _read_eval_set(path: Path) -> list[Recording]:
    return [build_recording(convert_eval_case_to_events(case), case.eval_id) for case in read_eval_cases(path)]


def _read_session(path: Path) -> list[Recording]:
    return [build_recording(import_adk_session(path))]


def _read_timeline(path: Path) -> list[Recording]:
    events: dict[str, list[Event]] = {}
    for record in jsonl.read_records(path):
        if isinstance(record, Event):
            events.setdefault(record.session_id, []).append(record)
    return [build_recording(each) for each in events.values()]


def _read_cassette(path: Path) -> list[Recording]:
    return build_cassette_recordings(read_cassette(path))


_READERS: Mapping[TraceKind, Callable[[Path], list[Recording]]] = {
    "evalset": _read_eval_set,
    "session": _read_session,
    "timeline": _read_timeline,
    "cassette": _read_cassette,
}

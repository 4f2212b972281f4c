"""Reads recordings from files: timelines, EvalSets of all formats, ADK sessions, fixtures of `adk test`, cassettes."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from adk_agent_sim.errors import ImportRefused, ReplayImpossible
from adk_agent_sim.golden.cassette import Cassette, CassetteRun, CassetteSession, CassetteTurn, list_calls
from adk_agent_sim.golden.cassette_files import read_cassette
from adk_agent_sim.golden.eval_set import summarize_error
from adk_agent_sim.golden.eval_set_files import read_eval_cases
from adk_agent_sim.golden.importers import convert_eval_case_to_events, import_adk_session
from adk_agent_sim.golden.recording import RecordedDecision, RecordedRun, RecordedToolCall, Recording, build_recording
from adk_agent_sim.golden.trace_kind import TraceKind, detect_trace_kind
from adk_agent_sim.timeline import jsonl
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.content_parts import get_parts
from adk_agent_sim.timeline.events import Event
from adk_agent_sim.timeline.framework_calls import is_refused_call, is_request_call
from adk_agent_sim.timeline.history import is_user_query


def build_cassette_recordings(cassette: Cassette) -> list[Recording]:
    """Return the recording of each session, which are named after the app and numbered."""
    return [
        Recording(
            name=f"{session.app_name}-{number}",
            app_name=session.app_name,
            user_id=session.user_id,
            state=session.state.value,
            runs=[_build_run(session, place) for place in range(len(session.runs))],
        )
        for number, session in enumerate(cassette.sessions, start=1)
    ]


def _build_run(session: CassetteSession, place: int) -> RecordedRun:
    run = session.runs[place]
    earlier = [turn for each in session.runs[:place] for turn in each.turns] if _answers_request(run) else []
    return RecordedRun(
        message=run.message.value,
        is_query=is_user_query(run.message.value),
        decisions=[
            RecordedDecision(key=turn.key, response=_merge_responses(turn), turn_id=f"turn-{number}")
            for number, turn in enumerate(run.turns, start=1)
        ],
        calls=[*_iter_resumed_calls(earlier, run.turns), *_iter_calls(run.turns)],
        texts=(),
        final_text=None,
        outcome=None,
    )


def _answers_request(run: CassetteRun) -> bool:
    """Return whether the message answers a question of ADK, such as for consent, so that the call is made again."""
    responses = [part.get("function_response") for part in get_parts(run.message.value)]
    return any(response and is_request_call(response.get("name") or "") for response in responses)


def _iter_resumed_calls(earlier: Sequence[CassetteTurn], turns: Sequence[CassetteTurn]) -> Iterator[RecordedToolCall]:
    """Yield the calls of an agent's last turn before the run, whose responses are in its first one of the run."""
    for key in {turn.key: None for turn in turns}:
        last = next((turn for turn in reversed(earlier) if turn.key == key), None)
        if last is not None:
            first = next(turn for turn in turns if turn.key == key)
            # A call to which the user does not consent is not made.
            yield from (call for call in _iter_calls([last, first], count=1) if not is_refused_call(call.response))


def _merge_responses(turn: CassetteTurn) -> Mapping[str, Json]:
    """Return the decision of a turn; a model that failed decided nothing, and says so."""
    if turn.error is not None:
        return {"error_code": turn.error.value["type"], "error_message": turn.error.value["message"]}
    responses: list[Mapping[str, Json]] = [block.value for block in turn.responses]
    if len(responses) == 1:
        return responses[0]
    parts = [part for response in responses for part in get_parts(response.get("content"))]
    return {**(responses[0] if responses else {}), "content": {"role": "model", "parts": parts}}


@dataclass(frozen=True)
class _NamedResponse:
    tool_name: str
    response: Mapping[str, Json]


def _iter_calls(turns: Sequence[CassetteTurn], count: int | None = None) -> Iterator[RecordedToolCall]:
    """Yield the calls of the first `count` turns, or of all, with the responses in the turns after them."""
    for place, turn in enumerate(turns[:count]):
        following = next((each for each in turns[place + 1 :] if each.key == turn.key), None)
        responses = _list_new_responses(turn, following) if following else []
        calls = [call for response in turn.responses for call in list_calls(response.value)]
        for call in calls:
            name = call.get("name") or ""
            if is_request_call(name):
                continue
            # By identity, because two calls of one turn may be equal.
            same = [id(each) for each in calls if each.get("name") == name]
            found = [each.response for each in responses if each.tool_name == name]
            yield RecordedToolCall(
                key=turn.key,
                call_id=call.get("id") or "",
                tool_name=name,
                arguments=call.get("args") or {},
                # The ids that ADK makes are not in requests, so calls and responses are matched by their order.
                response=found[same.index(id(call))] if len(found) == len(same) else None,
                actions={},
            )


def _list_new_responses(turn: CassetteTurn, following: CassetteTurn) -> list[_NamedResponse]:
    """Return the responses of tools that an agent's next request has and this one had not."""
    return [
        _NamedResponse(part["function_response"].get("name") or "", part["function_response"].get("response") or {})
        for block in following.request.contents[len(turn.request.contents) :]
        for part in get_parts(block.value)
        if part.get("function_response")
    ]


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

"""The answered calls of recordings, in the form in which a mock replays them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from adk_agent_sim.golden.recording import RecordedToolCall, Recording
from adk_agent_sim.mocks.response_errors import is_error_response
from adk_agent_sim.timeline.canonical_json import Json, normalize_value
from adk_agent_sim.timeline.framework_calls import CONTROL_TOOLS, is_refused_call, is_request_call


# Calls are compared by identity: two of them may be equal in all that they have.
@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class ReplayableCall:
    """A recorded call of a tool, and what the model got for it."""

    reference: str
    """Identifies it among the calls of all recordings of a session, such as `golden.evalset.json, refund: call 2`."""

    tool: str
    agent: str
    """The calling agent; empty if the source does not name it."""

    args: Mapping[str, Json]
    """The arguments in their normal form."""

    response: Mapping[str, Json]
    error: str
    """The exception that the tool raised, as `Type: message`; empty if it returned."""

    is_error: bool
    """Whether the response reports an error."""

    inner_calls: Sequence[str] = ()
    """The references of the calls that agents made inside of this call."""


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class RecordedCallLog:
    """The calls of one recording, in order."""

    name: str
    """The eval id, or the id of the session."""

    calls: Sequence[ReplayableCall]


@dataclass(frozen=True, kw_only=True, eq=False, slots=True)
class ReplaySource:
    """All recordings of a file."""

    label: str
    """The file, as the rules name it."""

    logs: Sequence[RecordedCallLog]


def build_replay_source(label: str, recordings: Sequence[Recording]) -> ReplaySource:
    """Return the calls of recordings.

    Args:
        label: The file, as the rules name it.
        recordings: What the file contains.
    """
    is_single = len(recordings) == 1
    return ReplaySource(
        label=label,
        logs=[
            RecordedCallLog(name=each.name, calls=_build_calls(label if is_single else f"{label}, {each.name}", each))
            for each in recordings
        ],
    )


def _build_calls(label: str, recording: Recording) -> list[ReplayableCall]:
    found = [call for call in _iter_answered_calls(recording) if call.tool_name not in CONTROL_TOOLS]
    references = [f"{label}: call {number}" for number in range(1, len(found) + 1)]
    inner: dict[str, list[tuple[str, str]]] = {}
    for call, reference in zip(found, references, strict=True):
        if call.key.path is not None and call.key.path.parent_call_id:
            inner.setdefault(call.key.path.parent_call_id, []).append((call.call_id, reference))
    return [
        ReplayableCall(
            reference=reference,
            tool=call.tool_name,
            agent=call.key.agent_name,
            args=normalize_value(dict(call.arguments)),
            response=call.response or {},
            error=call.error,
            is_error=bool(call.error) or is_error_response(call.response),
            inner_calls=list(_iter_inner_calls(inner, call.call_id)),
        )
        for call, reference in zip(found, references, strict=True)
    ]


def _iter_inner_calls(inner: Mapping[str, Sequence[tuple[str, str]]], call_id: str) -> Iterator[str]:
    for inner_id, reference in inner.get(call_id, ()) if call_id else ():
        yield reference
        # Without the calls above it, because ids that are used twice could form a circle.
        yield from _iter_inner_calls({key: value for key, value in inner.items() if key != call_id}, inner_id)


def _iter_answered_calls(recording: Recording) -> Iterator[RecordedToolCall]:
    """Yield the calls whose tools ran; one that waited for consent is in two runs, of which the last has the result."""
    calls = [call for run in recording.runs for call in run.calls]
    last = {call.call_id: call for call in calls if call.response is not None}
    for call in calls:
        is_last = not call.call_id or last.get(call.call_id) is call
        if call.response is None or not is_last or is_request_call(call.tool_name) or is_refused_call(call.response):
            continue
        yield call

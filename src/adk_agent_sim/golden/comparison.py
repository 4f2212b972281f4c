"""Compares a session with the recording that it repeats: calls, responses, texts and how the runs ended."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, cast

from adk_agent_sim.golden.recording import RecordedRun, RecordedToolCall, Recording, StreamKey, find_stream
from adk_agent_sim.timeline.canonical_json import Json, equals_value
from adk_agent_sim.timeline.events import AgentPath, RunOutcome
from adk_agent_sim.timeline.framework_calls import is_unknown_tool_response

_REMOVED = object()


def remove_ignored_values(value: Json, tool_name: str, ignored_paths: Sequence[str]) -> Json:
    """Return a tool's response without the values at the paths.

    Args:
        value: The response.
        tool_name: The tool; a path may begin with the name of the only tool that it applies to.
        ignored_paths: The paths; `*` stands for every key and every index.
    """
    for path in ignored_paths:
        wanted_tool, colon, steps = path.rpartition(":")
        if not colon or wanted_tool == tool_name:
            value = _remove_path(value, steps.split("."))
    return value


def _remove_path(value: Json, steps: Sequence[str]) -> Json:
    if not steps:
        return _REMOVED
    if isinstance(value, Mapping):
        items: list[tuple[Any, Any]] = list(cast("Mapping[str, Json]", value).items())
    elif isinstance(value, list):
        items = list(enumerate(cast("list[Json]", value)))
    else:
        return value
    updated = [(key, _remove_path(inner, steps[1:]) if steps[0] in ("*", str(key)) else inner) for key, inner in items]
    remaining = [(key, inner) for key, inner in updated if inner is not _REMOVED]
    return dict(remaining) if isinstance(value, Mapping) else [inner for _, inner in remaining]


@dataclass(frozen=True, kw_only=True)
class RecordingDifference:
    """Something that is not as recorded."""

    message_number: int
    """The user message that it follows, from 1."""

    agent_name: str
    """The agent; empty if the recording does not name it."""

    what: str
    """What differs, such as `call 2 of search`."""

    recorded: Json
    """The recorded value, without ignored values; None if there is none."""

    found: Json
    """The current value; None if there is none."""

    call_id: str = ""
    """The call that differs; empty if it is something else."""


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """What was compared, and what differs."""

    call_count: int
    """How many calls the session made."""

    compared_call_count: int
    """How many of them have a recorded response and were compared with it."""

    compared_text_count: int
    """How many texts of agents, other than final responses, were compared."""

    differences: Sequence[RecordingDifference] = field(default_factory=list[RecordingDifference])

    @property
    def has_compared(self) -> bool:
        """Whether there was anything that could differ: the final response itself is played from the recording."""
        return bool(self.compared_call_count or self.compared_text_count)


def compare_recordings(recorded: Recording, current: Recording, ignored_paths: Sequence[str] = ()) -> Comparison:
    """Compare a session that was played from a recording with the recording.

    Args:
        recorded: The recording.
        current: The new session, in which the calls have the recorded ids.
        ignored_paths: The values in responses that may differ.
    """
    pairs = list(enumerate(zip(recorded.runs, current.runs, strict=False), start=1))
    differences = [
        difference
        for number, (before, after) in pairs
        for difference in _compare_runs(number, before, after, ignored_paths)
    ]
    return Comparison(
        call_count=sum(len(run.calls) for run in current.runs),
        compared_call_count=sum(_is_comparable(call) for _, (before, _) in pairs for call in before.calls),
        compared_text_count=sum(len(before.texts) for _, (before, _) in pairs),
        differences=differences,
    )


def _is_comparable(call: RecordedToolCall) -> bool:
    return call.response is not None


def _compare_runs(
    number: int, recorded: RecordedRun, current: RecordedRun, ignored_paths: Sequence[str]
) -> Iterator[RecordingDifference]:
    yield from _compare_calls(number, recorded, current, ignored_paths)
    yield from _compare_texts(number, recorded, current)
    if recorded.final_text not in (None, current.final_text) and current.outcome is RunOutcome.DONE:
        yield RecordingDifference(
            message_number=number,
            agent_name="",
            what="the final response",
            recorded=recorded.final_text,
            found=current.final_text,
        )


def _compare_calls(
    number: int, recorded: RecordedRun, current: RecordedRun, ignored_paths: Sequence[str]
) -> Iterator[RecordingDifference]:
    current_calls = {call.call_id: call for call in current.calls}
    recorded_ids = {call.call_id for call in recorded.calls}
    for call_number, before in enumerate(recorded.calls, start=1):
        what = f"call {call_number} of {before.tool_name}"
        after = current_calls.get(before.call_id)
        if after is None:
            yield _build_call_difference(number, what, before, _describe_call(before), None)
        elif after.tool_name != before.tool_name or not equals_value(after.arguments, before.arguments):
            yield _build_call_difference(number, what, before, _describe_call(before), _describe_call(after))
        else:
            yield from _compare_responses(number, what, before, after, ignored_paths)
    for after in current.calls:
        if after.call_id not in recorded_ids:
            what = f"an unrecorded call of {after.tool_name}"
            yield _build_call_difference(number, what, after, None, _describe_call(after))


def _compare_responses(
    number: int, what: str, before: RecordedToolCall, after: RecordedToolCall, ignored_paths: Sequence[str]
) -> Iterator[RecordingDifference]:
    if before.response is None:
        # Nothing is known about the response, but no recording means that the tool is missing or fails.
        if after.error or is_unknown_tool_response(after.tool_name, after.response):
            yield _build_call_difference(number, what, before, None, after.response)
        return
    expected = remove_ignored_values(before.response, before.tool_name, ignored_paths)
    found = remove_ignored_values(after.response, after.tool_name, ignored_paths)
    if not equals_value(expected, found):
        yield _build_call_difference(number, what, before, expected, found)


def _compare_texts(number: int, recorded: RecordedRun, current: RecordedRun) -> Iterator[RecordingDifference]:
    """Compare what each agent said on the way, in its order; a recording without authors has none of it."""
    expected = _group_texts(recorded, {text.key: None for text in recorded.texts})
    found = _group_texts(current, dict.fromkeys(expected))
    for key, texts in expected.items():
        for index, text in enumerate(texts):
            now = found.get(key, [])[index : index + 1]
            if now != [text]:
                yield RecordingDifference(
                    message_number=number,
                    agent_name=key.agent_name,
                    what=f"text {index + 1}",
                    recorded=text,
                    found=now[0] if now else None,
                )


def _group_texts(run: RecordedRun, keys: Mapping[StreamKey, None]) -> dict[StreamKey, list[str]]:
    grouped: dict[StreamKey, list[str]] = {}
    for text in run.texts:
        key = text.key if text.key in keys else find_stream(keys, text.key.agent_name, text.key.path or AgentPath())
        if key is not None:
            grouped.setdefault(key, []).append(text.text)
    return grouped


def _build_call_difference(
    number: int, what: str, call: RecordedToolCall, recorded: Json, found: Json
) -> RecordingDifference:
    return RecordingDifference(
        message_number=number,
        agent_name=call.key.agent_name,
        what=what,
        recorded=recorded,
        found=found,
        call_id=call.call_id,
    )


def _describe_call(call: RecordedToolCall) -> Json:
    return {"name": call.tool_name, "args": dict(call.arguments)}

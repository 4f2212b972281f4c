"""The details of a row: its full values, images and files, read from the events that the row was made from.

A row is one fact that people care about: a call and its result are one row, which changes while the call runs. Rows
are never removed or reordered, so a row's `index` is its identity. `updated_seq` is the `seq` of the timeline event
that last changed a row: a browser that has everything up to a seq asks for the changes after it.
"""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from pydantic import Field

from adk_agent_sim.errors import NotFound
from adk_agent_sim.timeline.canonical_json import Json, equals_value
from adk_agent_sim.timeline.content_parts import get_parts
from adk_agent_sim.timeline.events import (
    AgentEvent,
    ArtifactSaved,
    Closed,
    EnvironmentDecided,
    Event,
    RunEnded,
    ToolAnswered,
    ToolFailed,
    ToolFinished,
    ToolStarted,
    TurnDecided,
    UserSpoke,
)
from adk_agent_sim.timeline.framework_calls import is_request_call
from adk_agent_sim.timeline.json_conversion import decode_base64
from adk_agent_sim.timeline.read_model.timeline_row import RowKind, TimelineRow
from adk_agent_sim.timeline.state_edits import find_state_edit
from adk_agent_sim.timeline.strict_json import MAX_DEPTH, InvalidJson, dump_json, is_too_deep, parse_json
from adk_agent_sim.timeline.world_events import (
    NotificationDelivered,
    VerdictReached,
    WorldEventHappened,
    WorldStarted,
)
from adk_agent_sim.use_cases.record import Record


class NoteInput(Record):
    """A person's note on a row."""

    text: str = Field(description="It replaces the note that the row has; an empty one removes it")


class DisplayValue(Record):
    """A value of a row. Of more than 20 KB only the beginning is sent, unless the full value is requested."""

    label: str
    format: Literal["json", "text", "markdown", "traceback"]
    text: str = Field(description="For json, JSON text, so that numbers keep their digits")
    size: int = Field(description="The length of the full text, in characters")
    is_complete: bool


class MediaFile(Record):
    """An image or file of a row."""

    name: str
    mime_type: str
    size: int
    url: str = Field(description="The address of its bytes; images can be shown, other files are downloaded")
    is_image: bool


class RowDetail(Record):
    """The details of a row."""

    index: int
    values: list[DisplayValue]
    media: list[MediaFile]


MAX_PREVIEW_CHARS = 20_000
"""How many characters of a value are sent unless all of it is requested."""

IMAGE_MIME_TYPES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
"""What a browser may render; any other file is only downloaded, since it could contain script."""

DisplayFormat: TypeAlias = Literal["json", "text", "markdown", "traceback"]
RowEvent: TypeAlias = tuple[Event, int | None]
"""An event that a row was made from, and the index of the part of its content."""

ReadBlock: TypeAlias = Callable[[str], Awaitable[bytes]]


@dataclass(frozen=True)
class MediaContent:
    """An image or file of a row, with its bytes."""

    name: str
    mime_type: str
    data: bytes


async def build_row_detail(
    row: TimelineRow, row_events: Sequence[RowEvent], read_block: ReadBlock, *, url: str, full: bool
) -> RowDetail:
    """Return the details of a row.

    Args:
        row: The row.
        row_events: The events it was made from.
        read_block: Reads a block of the session.
        url: The address of the row's media.
        full: Whether long values are sent in full.
    """
    files = await load_media(row_events, read_block)
    values = [
        _build_display_value(label, kind, value, full=full) for label, kind, value in _iter_values(row, row_events)
    ]
    if row.kind is RowKind.ARTIFACT and files and files[0].mime_type.startswith("text/"):
        values.append(_build_display_value("content", "text", files[0].data.decode(errors="replace"), full=full))
    return RowDetail(
        index=row.index,
        values=values,
        media=[
            MediaFile(
                name=file.name,
                mime_type=file.mime_type,
                size=len(file.data),
                url=f"{url}/{index}",
                is_image=file.mime_type in IMAGE_MIME_TYPES,
            )
            for index, file in enumerate(files)
        ],
    )


async def load_media_file(
    row: TimelineRow, row_events: Sequence[RowEvent], read_block: ReadBlock, file_index: int
) -> MediaContent:
    """Return an image or file of a row; raise NotFound."""
    files = await load_media(row_events, read_block)
    if not 0 <= file_index < len(files):
        raise NotFound(f"Row {row.index} has no file {file_index}.")
    return files[file_index]


async def load_media(row_events: Sequence[RowEvent], read_block: ReadBlock) -> list[MediaContent]:
    """Return the images and files of a row."""
    files: list[MediaContent] = []
    for event, part_index in row_events:
        match event.payload:
            case ArtifactSaved() as saved:
                files.append(
                    MediaContent(saved.filename, _strip_mime_parameters(saved.mime_type), await read_block(saved.block))
                )
            case UserSpoke(content=content):
                files += _iter_files(get_parts(content), part_index)
            case AgentEvent(event=emitted):
                files += _iter_files(get_parts(emitted.get("content")), part_index)
            case _:
                pass
    return files


def _iter_values(row: TimelineRow, row_events: Sequence[RowEvent]) -> Iterator[tuple[str, DisplayFormat, Json]]:
    match row.kind:
        case RowKind.CALL:
            yield from _iter_call_values(row_events)
        case RowKind.WORLD:
            yield from _iter_world_values(row_events)
        case _:
            yield from _iter_other_values(row_events)


def _iter_other_values(row_events: Sequence[RowEvent]) -> Iterator[tuple[str, DisplayFormat, Json]]:
    # How a run ended is said in words for people; the error that ADK emitted before comes below it.
    for event, part_index in sorted(row_events, key=lambda each: not isinstance(each[0].payload, RunEnded)):
        match event.payload:
            case UserSpoke(content=content):
                yield from _iter_content_values(get_parts(content), part_index)
            case AgentEvent(event=emitted):
                yield from _iter_content_values(get_parts(emitted.get("content")), part_index)
                if changes := find_state_edit(event):
                    yield "state", "json", changes
                if message := emitted.get("error_message"):
                    yield "error", "text", f"{emitted.get('error_code')}: {message}"
            case TurnDecided(response=response):
                yield from _iter_content_values(get_parts(response.get("content")), part_index)
            case RunEnded() as ended if ended.error_type:
                yield "error", "text", f"{ended.error_type}: {ended.error_message}"
            case Closed(reason=reason):
                yield "reason", "text", reason
            case EnvironmentDecided() as decided if decided.tool_name:
                yield "rules", "json", _describe_rule_decision(decided)
            case _:
                pass


def _iter_world_values(row_events: Sequence[RowEvent]) -> Iterator[tuple[str, DisplayFormat, Json]]:
    for event, _ in row_events[:1]:
        match event.payload:
            case WorldStarted() as started:
                yield "world", "json", _describe_world(started)
            case WorldEventHappened(event=completed):
                yield "event", "json", completed
            case NotificationDelivered(text=text):
                yield "notification", "text", text
            case VerdictReached() as reached:
                if reached.reason:
                    yield "reason", "text", reached.reason
                if reached.verdict is not None:
                    yield "verdict", "json", reached.verdict
            case _:
                pass


def _describe_world(started: WorldStarted) -> Json:
    known = {"scenario": started.scenario_id, "file": started.source, "seed": started.seed, **started.options}
    return {name: value for name, value in known.items() if value != ""}


def _iter_call_values(row_events: Sequence[RowEvent]) -> Iterator[tuple[str, DisplayFormat, Json]]:
    """Yield a call's arguments, then its result or error, then what the model got for it if that differs."""
    arguments: Json = None
    returned: list[Json] = []
    for event, part_index in row_events:
        match event.payload:
            case ToolStarted() as started:
                # Callbacks and plugins may change what the model has sent.
                if not equals_value(started.arguments, arguments):
                    yield (
                        "arguments" if arguments is None else "arguments the tool got",
                        "json",
                        dict(started.arguments),
                    )
                arguments = started.arguments
            case EnvironmentDecided() as decided:
                yield "rules", "json", _describe_rule_decision(decided)
            case ToolAnswered() as answered:
                yield "what a person responded", "json", _describe_answer(answered)
            case ToolFinished() as finished:
                # ADK wraps a result that is not a dict: the wrapped result is not a different one.
                returned += [finished.result, {"result": finished.result}]
                yield from _iter_result_values(finished)
            case ToolFailed() as failed:
                # What ToolErrorPlugin returns to the model is not a different result either.
                returned.append({"error": {"type": failed.error_type, "message": failed.error_message}})
                yield from _iter_error_values(failed)
            case _:
                part = _find_part(event, part_index)
                if call := part.get("function_call"):
                    # Was the call made by ADK itself, to ask the user something, and not by the model?
                    is_question = is_request_call(str(call.get("name")))
                    arguments = arguments if is_question else call.get("args") or {}
                    yield "question" if is_question else "arguments", "json", call.get("args") or {}
                elif (response := part.get("function_response")) and response.get("response") not in returned:
                    yield "what the model got" if returned else "result", "json", response.get("response")


def _describe_rule_decision(decided: EnvironmentDecided) -> Json:
    """Return the rule that answered, its actions, and why the rules before it did not."""
    answered = {"answered by": decided.rule, "which does": decided.actions} if decided.rule else {"answered by": None}
    if decided.near_miss:
        answered["closest rule"] = decided.near_miss
    return {**answered, "passed over": {each["rule"]: each["why"] for each in decided.passed_over}}


def _describe_answer(answered: ToolAnswered) -> Json:
    """Return the response of a person who plays the tool, as it was given: rules may change it afterwards."""
    raised = {"type": answered.error_type, "message": answered.error_message}
    response: dict[str, Json] = {"raised": raised} if answered.error_type else {"returned": answered.result}
    if answered.answered_by:
        response["by"] = answered.answered_by
    if answered.force:
        response["sent anyway"] = True
    return response


def _iter_result_values(finished: ToolFinished) -> Iterator[tuple[str, DisplayFormat, Json]]:
    yield "result", "json", finished.result
    if finished.mocked:
        yield "mock", "json", finished.mocked
    if finished.actions:
        yield "changes", "json", dict(finished.actions)


def _iter_error_values(failed: ToolFailed) -> Iterator[tuple[str, DisplayFormat, Json]]:
    yield "error", "text", f"{failed.error_type}: {failed.error_message}"
    if failed.mocked:
        yield "mock", "json", failed.mocked
    if failed.traceback:
        yield "traceback", "traceback", failed.traceback


def _iter_content_values(
    parts: Sequence[Mapping[str, Json]], part_index: int | None
) -> Iterator[tuple[str, DisplayFormat, Json]]:
    """Yield the text that begins at a part, or all text of the parts, as JSON if it is a JSON object or list."""
    chosen = parts if part_index is None else _collect_text_run(parts, part_index)
    text = "".join(part.get("text") or "" for part in chosen)
    if text:
        data = _parse_json_text(text)
        yield ("data", "json", data) if data is not None else ("text", "markdown", text)
    for part in chosen:
        if response := part.get("function_response"):
            yield "answer", "json", response.get("response")
        elif call := part.get("function_call"):
            yield "question", "json", call.get("args") or {}
        elif code := part.get("executable_code"):
            yield "code", "text", str(code.get("code") or "")
        elif file := part.get("file_data"):
            yield "file", "text", str(file.get("file_uri") or "")


def _collect_text_run(parts: Sequence[Mapping[str, Json]], part_index: int) -> list[Mapping[str, Json]]:
    """Return a part and the texts of the same kind that directly follow it: together they are one row."""
    first = parts[part_index]
    run = [first]
    if first.get("text"):
        for part in parts[part_index + 1 :]:
            if not part.get("text") or bool(part.get("thought")) != bool(first.get("thought")):
                break
            run.append(part)
    return run


def _parse_json_text(text: str) -> Json:
    """Return the value of a text that is a JSON object or list; None for any other text."""
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        return parse_json(text, max_depth=MAX_DEPTH)
    except InvalidJson:
        return None


def _find_part(event: Event, part_index: int | None) -> Mapping[str, Json]:
    match event.payload:
        case AgentEvent(event=emitted):
            parts = get_parts(emitted.get("content"))
        case TurnDecided(response=response):
            parts = get_parts(response.get("content"))
        case _:
            return {}
    return parts[part_index] if part_index is not None else {}


def _iter_files(parts: Sequence[Mapping[str, Json]], part_index: int | None) -> Iterator[MediaContent]:
    """Yield the files in parts, including those inside a function response."""
    for part in parts if part_index is None else [parts[part_index]]:
        for holder in (part, *get_parts(part.get("function_response"))):
            if data := holder.get("inline_data"):
                mime_type = _strip_mime_parameters(str(data.get("mime_type") or ""))
                yield MediaContent(
                    str(data.get("display_name") or mime_type), mime_type, decode_base64(data.get("data") or "")
                )


def _strip_mime_parameters(mime_type: str) -> str:
    """Return a MIME type without its parameters, such as `charset`."""
    return mime_type.partition(";")[0].strip().lower() or "application/octet-stream"


def _build_display_value(label: str, display_format: DisplayFormat, value: Json, *, full: bool) -> DisplayValue:
    if display_format == "json" and is_too_deep(value):  # the tree view of the browser could not show it
        display_format, value = "text", _format_deep_value(value)
    text = dump_json(value, indent=2) if display_format == "json" else str(value)
    cut = not full and len(text) > MAX_PREVIEW_CHARS
    return DisplayValue(
        label=label,
        format=display_format,
        text=text[:MAX_PREVIEW_CHARS] if cut else text,
        size=len(text),
        is_complete=not cut,
    )


def _format_deep_value(value: Json) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return "(nested too deeply to be shown)"

"""What stands behind a row: its values in full, its images and files, from the events that made it."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode
from collections.abc import Awaitable, Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from adk_agent_sim.server.content import parts_of
from adk_agent_sim.server.json_text import is_deep, written
from adk_agent_sim.server.shapes import Kind, Medium, Row, RowDetail, Shown
from adk_agent_sim.timeline.canonical import Json
from adk_agent_sim.timeline.events import (
    AgentEvent,
    ArtifactSaved,
    Closed,
    EnvironmentDecided,
    Event,
    RunEnded,
    ToolFailed,
    ToolFinished,
    ToolStarted,
    TurnDecided,
    UserSpoke,
)

SHORT = 20_000
"""How many characters of a value are sent at first."""

IMAGES = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
"""What a browser may show; anything else is saved, never rendered."""

Format: TypeAlias = Literal["json", "text", "markdown", "traceback"]
Found: TypeAlias = tuple[Event, int | None]
"""An event behind a row, and which part of its content."""

ReadBlock: TypeAlias = Callable[[str], Awaitable[bytes]]


@dataclass(frozen=True)
class Behind:
    """An image or a file behind a row, with its bytes."""

    name: str
    mime_type: str
    data: bytes


async def detail(row: Row, found: Sequence[Found], read_block: ReadBlock, *, url: str, whole: bool) -> RowDetail:
    """Everything behind a row; `url` is where its media are."""
    files = await media(found, read_block)
    values = [_shown(label, form, value, whole=whole) for label, form, value in _values(row, found)]
    if row.kind is Kind.ARTIFACT and files and files[0].mime_type.startswith("text/"):
        values.append(_shown("content", "text", files[0].data.decode(errors="replace"), whole=whole))
    return RowDetail(
        index=row.index,
        values=values,
        media=[
            Medium(
                name=file.name,
                mime_type=file.mime_type,
                size=len(file.data),
                url=f"{url}/{place}",
                image=file.mime_type in IMAGES,
            )
            for place, file in enumerate(files)
        ],
    )


async def media(found: Sequence[Found], read_block: ReadBlock) -> list[Behind]:
    """The images and files behind a row."""
    files: list[Behind] = []
    for event, place in found:
        match event.payload:
            case ArtifactSaved() as saved:
                files.append(Behind(saved.filename, _plain(saved.mime_type), await read_block(saved.block)))
            case UserSpoke(content=content):
                files += _files(parts_of(content), place)
            case AgentEvent(event=emitted):
                files += _files(parts_of(emitted.get("content")), place)
            case _:
                pass
    return files


def _values(row: Row, found: Sequence[Found]) -> Iterator[tuple[str, Format, Json]]:
    if row.kind is Kind.CALL:
        yield from _of_call(found)
        return
    for event, place in found:
        match event.payload:
            case UserSpoke(content=content):
                yield from _of_content(parts_of(content), place)
            case AgentEvent(event=emitted):
                yield from _of_content(parts_of(emitted.get("content")), place)
                if message := emitted.get("error_message"):
                    yield "error", "text", f"{emitted.get('error_code')}: {message}"
            case TurnDecided(response=response):
                yield from _of_content(parts_of(response.get("content")), place)
            case RunEnded() as ended if ended.error_type:
                yield "error", "text", f"{ended.error_type}: {ended.error_message}"
            case Closed(reason=reason):
                yield "reason", "text", reason
            case _:
                pass


def _of_call(found: Sequence[Found]) -> Iterator[tuple[str, Format, Json]]:
    """A call as it was made, then how it went, then what the model got for it, where that differs."""
    arguments: Json = None
    returned: list[Json] = []
    for event, place in found:
        match event.payload:
            case ToolStarted() as started:
                if started.arguments != arguments:
                    yield (
                        "arguments" if arguments is None else "arguments the tool got",
                        "json",
                        dict(started.arguments),
                    )
                arguments = started.arguments
            case EnvironmentDecided() as decided:
                yield "rules", "json", _decided(decided)
            case ToolFinished() as finished:
                returned += [finished.result, {"result": finished.result}]
                yield from _of_finished(finished)
            case ToolFailed() as failed:
                returned.append({"error": {"type": failed.error_type, "message": failed.error_message}})
                yield from _of_failed(failed)
            case _:
                part = _part(event, place)
                if call := part.get("function_call"):
                    arguments = arguments if _is_adks(call) else call.get("args") or {}
                    yield "question" if _is_adks(call) else "arguments", "json", call.get("args") or {}
                elif (response := part.get("function_response")) and response.get("response") not in returned:
                    yield "what the model got" if returned else "result", "json", response.get("response")


def _decided(decided: EnvironmentDecided) -> Json:
    """Which rule answered, what it did, and why those before it did not."""
    answered = {"answered by": decided.rule, "which does": decided.actions} if decided.rule else {"answered by": None}
    return {**answered, "passed over": {one["rule"]: one["why"] for one in decided.passed_over}}


def _of_finished(finished: ToolFinished) -> Iterator[tuple[str, Format, Json]]:
    yield "result", "json", finished.result
    if finished.actions:
        yield "changes", "json", dict(finished.actions)


def _of_failed(failed: ToolFailed) -> Iterator[tuple[str, Format, Json]]:
    yield "error", "text", f"{failed.error_type}: {failed.error_message}"
    if failed.traceback:
        yield "traceback", "traceback", failed.traceback


def _is_adks(call: Mapping[str, Json]) -> bool:
    """Whether ADK asks by the call, and not the model."""
    return str(call.get("name")).startswith("adk_request_")


def _of_content(parts: Sequence[Mapping[str, Json]], place: int | None) -> Iterator[tuple[str, Format, Json]]:
    """The text that begins at a part, or all of it; data as JSON."""
    chosen = parts if place is None else _run_of_text(parts, place)
    text = "".join(part.get("text") or "" for part in chosen)
    if text:
        data = _data(text)
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


def _run_of_text(parts: Sequence[Mapping[str, Json]], place: int) -> list[Mapping[str, Json]]:
    """A part, and the texts of its kind that follow it: together they are one row."""
    first = parts[place]
    found = [first]
    if first.get("text"):
        for part in parts[place + 1 :]:
            if not part.get("text") or bool(part.get("thought")) != bool(first.get("thought")):
                break
            found.append(part)
    return found


def _data(text: str) -> Json:
    """The value of a text that is a JSON object or list; None for any other text."""
    if text.lstrip()[:1] not in ("{", "["):
        return None
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return None if is_deep(found) else found


def _part(event: Event, place: int | None) -> Mapping[str, Json]:
    match event.payload:
        case AgentEvent(event=emitted):
            parts = parts_of(emitted.get("content"))
        case TurnDecided(response=response):
            parts = parts_of(response.get("content"))
        case _:
            return {}
    return parts[place] if place is not None else {}


def _files(parts: Sequence[Mapping[str, Json]], place: int | None) -> Iterator[Behind]:
    """The bytes that parts hold, those inside a function's answer too."""
    for part in parts if place is None else [parts[place]]:
        for one in (part, *parts_of(part.get("function_response"))):
            if data := one.get("inline_data"):
                mime_type = _plain(str(data.get("mime_type") or ""))
                yield Behind(str(data.get("display_name") or mime_type), mime_type, _bytes(data.get("data") or ""))


def _plain(mime_type: str) -> str:
    """A mime type without its parameters."""
    return mime_type.partition(";")[0].strip().lower() or "application/octet-stream"


def _bytes(text: str) -> bytes:
    return urlsafe_b64decode(text.translate(str.maketrans("+/", "-_")) + "=" * (-len(text) % 4))


def _shown(label: str, form: Format, value: Json, *, whole: bool) -> Shown:
    if form == "json" and is_deep(value):  # no browser could fold it open
        form, value = "text", _deep_text(value)
    text = written(value, indent=2) if form == "json" else str(value)
    cut = not whole and len(text) > SHORT
    return Shown(label=label, format=form, text=text[:SHORT] if cut else text, size=len(text), whole=not cut)


def _deep_text(value: Json) -> str:
    try:
        return json.dumps(value, ensure_ascii=False)
    except RecursionError:
        return "(nested too deep to be shown)"

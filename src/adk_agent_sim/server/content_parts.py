"""The parts of a content, which is what a user, a model or a tool said, as JSON: their kinds, texts and files."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from adk_agent_sim.timeline.canonical_json import Json


def group_parts(parts: Sequence[Mapping[str, Json]]) -> Iterator[tuple[int, str, Mapping[str, Json]]]:
    """The parts with their kinds; a text that goes on with the one before is joined to it."""
    found: list[tuple[int, str, Mapping[str, Json]]] = []
    for place, part in enumerate(parts):
        kind = _classify_part(part)
        if (
            found
            and kind == found[-1][1]
            and kind in ("said", "thought")
            and part.get("text")
            and found[-1][2].get("text")
        ):
            begun = found[-1]
            found[-1] = (begun[0], kind, {**begun[2], "text": begun[2]["text"] + part["text"]})
        elif kind:
            found.append((place, kind, part))
    return iter(found)


def _classify_part(part: Mapping[str, Json]) -> str:
    if part.get("function_call"):
        return "call"
    if part.get("function_response"):
        return "response"
    if part.get("text"):
        return "thought" if part.get("thought") else "said"
    return "said" if any(part.get(name) for name in ("inline_data", "file_data", "executable_code")) else ""


def get_parts(content: Json) -> Sequence[Mapping[str, Json]]:
    """The parts of a content; none of nothing."""
    return as_mapping(content).get("parts") or ()


def extract_text(content: Json) -> str:
    """What it says, without thoughts."""
    return "".join(part["text"] for part in get_parts(content) if part.get("text") and not part.get("thought"))


def describe_files(content: Json) -> str:
    """The files of a message, by name or kind."""
    held = [part.get("inline_data") or part.get("file_data") for part in get_parts(content)]
    return ", ".join(str(one.get("display_name") or one.get("mime_type") or "file") for one in held if one)


def unwrap_result(answer: Json) -> Json:
    """A result without the wrapping that ADK gives to what is no dict."""
    found = as_mapping(answer)
    return found["result"] if list(found) == ["result"] else answer


def as_mapping(value: Any) -> Mapping[str, Json]:
    """An object, or an empty one where there is none."""
    return cast("Mapping[str, Json]", value) if isinstance(value, Mapping) else {}

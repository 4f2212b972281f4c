"""Access to the parts of a content in JSON (a message of a user, model or tool): kinds, texts, files and results."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from adk_agent_sim.timeline.canonical_json import Json


def group_parts(parts: Sequence[Mapping[str, Json]]) -> Iterator[tuple[int, str, Mapping[str, Json]]]:
    """Yield index, kind and part of each part that is shown; consecutive texts of one kind are joined.

    A streaming model sends one text in many parts.
    """
    groups: list[tuple[int, str, Mapping[str, Json]]] = []
    for index, part in enumerate(parts):
        kind = _classify_part(part)
        if (
            groups
            and kind == groups[-1][1]
            and kind in ("said", "thought")
            and part.get("text")
            and groups[-1][2].get("text")
        ):
            first_index, _, first = groups[-1]
            groups[-1] = (first_index, kind, {**first, "text": first["text"] + part["text"]})
        elif kind:
            groups.append((index, kind, part))
    return iter(groups)


def _classify_part(part: Mapping[str, Json]) -> str:
    if part.get("function_call"):
        return "call"
    if part.get("function_response"):
        return "response"
    if part.get("text"):
        return "thought" if part.get("thought") else "said"
    return "said" if any(part.get(name) for name in ("inline_data", "file_data", "executable_code")) else ""


def get_parts(content: Json) -> Sequence[Mapping[str, Json]]:
    """Return the parts of a content; none if there is no content."""
    return as_mapping(content).get("parts") or ()


def extract_visible_text(content: Json) -> str:
    """Return the text of a content, without thoughts."""
    return "".join(part["text"] for part in get_parts(content) if part.get("text") and not part.get("thought"))


def describe_files(content: Json) -> str:
    """Return the names of a message's files, or their MIME types where they have no name."""
    files = [part.get("inline_data") or part.get("file_data") for part in get_parts(content)]
    return ", ".join(str(file.get("display_name") or file.get("mime_type") or "file") for file in files if file)


def wrap_result(result: Json) -> dict[str, Json]:
    """Return a tool's result as the model gets it: ADK wraps what is not a dict as `{"result": ...}`."""
    return dict(cast("Mapping[str, Json]", result)) if isinstance(result, Mapping) else {"result": result}


def unwrap_result(answer: Json) -> Json:
    """Return a result without what `wrap_result` adds to one that is not a dict."""
    fields = as_mapping(answer)
    # A tool that returns such a dict itself cannot be told apart, and looks the same to the model.
    return fields["result"] if list(fields) == ["result"] else answer


def as_text(value: Any) -> str:
    """Return `value` if it is a string, else an empty one."""
    return value if isinstance(value, str) else ""


def as_mapping(value: Any) -> Mapping[str, Json]:
    """Return `value` if it is a mapping, else an empty one."""
    return cast("Mapping[str, Json]", value) if isinstance(value, Mapping) else {}

"""Texts with references that are replaced by values: `{{args.id}}`, or `{{'{{'}}` for braces as they are.

    "Order {{args.id}} is paid" --parse_text--> ["Order ", args.id, " is paid"] --render--> "Order 7 is paid"

A text that is one reference becomes the value itself, with its type: an argument of the call, a value of the state, or
a result of an earlier call. Values are inserted as they are: references inside them are never replaced.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import TypeAlias, cast

from adk_agent_sim.environment.incoming_call import IncomingCall
from adk_agent_sim.environment.json_values import MISSING, copy_value, find_value
from adk_agent_sim.environment.rule_finding import KeyPath
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.json_conversion import to_json_value

_OPEN = "{{"
_ESCAPED_OPEN = "{{'{{'}}"
_CLOSE = "}}"
_LITERAL = re.compile(r"\{\{\s*'([^']*)'\s*\}\}")
_MAX_INSERTED_CHARACTERS = 1_000_000
"""The most characters that references insert into one value: a small text could repeat a long argument many times."""


@dataclass(frozen=True, slots=True)
class Reference:
    """What stands between the braces, such as `args.order.id`."""

    text: str
    """The reference as written, without the braces."""
    root: str
    """What it refers to, such as `args`."""
    name: str
    """What follows the root: a name or a path; empty if nothing does."""


@dataclass(frozen=True, slots=True)
class Segment:
    """A part of a text."""

    source: str
    """The part as written."""
    content: str | Reference
    """The text that it stands for, or a reference."""


class BadTemplate(ValueError):
    """The text is not a valid template."""


class TemplateTooLong(ValueError):
    """The values that would be inserted are too long."""

    def __init__(self) -> None:
        super().__init__(f"the values in it have more than {_MAX_INSERTED_CHARACTERS:,} characters")


ResolveReference: TypeAlias = Callable[[Reference], Json]


@lru_cache(maxsize=256)
def parse_text(text: str) -> tuple[Segment, ...]:
    """Split a text into literal parts and references.

    Raises:
        BadTemplate: Braces are not closed, or there is no name between them.
    """
    segments: list[Segment] = []
    position = 0
    while (start := text.find(_OPEN, position)) >= 0:
        if start > position:
            segments.append(Segment(text[position:start], text[position:start]))
        segment = _parse_braces(text, start)
        segments.append(segment)
        position = start + len(segment.source)
    if position < len(text):
        segments.append(Segment(text[position:], text[position:]))
    return tuple(segments)


def _parse_braces(text: str, start: int) -> Segment:
    if literal := _LITERAL.match(text, start):
        return Segment(literal[0], literal[1])
    end = text.find(_CLOSE, start)
    name = text[start + len(_OPEN) : end].strip()
    if end < 0 or any(character in name for character in "{}'"):
        raise BadTemplate("{{ without a name and }}")
    return Segment(text[start : end + len(_CLOSE)], _parse_reference(name))


def _parse_reference(text: str) -> Reference:
    root, dot, name = text.partition(".")
    if not root or (dot and not all(name.split("."))):
        raise BadTemplate(f"{{{{{text}}}}} has an empty name")
    return Reference(text, root, name)


def has_template(value: Json) -> bool:
    """Whether a text in a value may contain references."""
    if isinstance(value, str):
        return _OPEN in value
    if isinstance(value, Mapping):
        return any(map(has_template, cast("Mapping[str, Json]", value).values()))
    return isinstance(value, list) and any(map(has_template, cast("list[Json]", value)))


def iter_template_texts(value: Json, key_path: KeyPath = ()) -> Iterator[tuple[KeyPath, str]]:
    """Yield the texts with braces in a value, and where they are. Keys are never templates."""
    if isinstance(value, str):
        if _OPEN in value:
            yield key_path, value
    elif isinstance(value, Mapping):
        for key, inner in cast("Mapping[str, Json]", value).items():
            yield from iter_template_texts(inner, (*key_path, key))
    elif isinstance(value, list):
        for index, inner in enumerate(cast("list[Json]", value)):
            yield from iter_template_texts(inner, (*key_path, index))


def iter_references(value: Json) -> Iterator[Reference]:
    """Yield the references in a value; raise BadTemplate if a text is not valid."""
    for _, text in iter_template_texts(value):
        yield from (segment.content for segment in parse_text(text) if isinstance(segment.content, Reference))


def render(value: Json, resolve: ResolveReference) -> Json:
    """Return a copy of a value in which references are replaced.

    Args:
        value: The value.
        resolve: Returns the value of a reference; its errors are passed on.

    Raises:
        BadTemplate: A text is not a valid template.
        TemplateTooLong: The values that would be inserted are too long.
    """
    return _Renderer(resolve).render(value)


class _Renderer:
    def __init__(self, resolve: ResolveReference) -> None:
        self._resolve = resolve
        self._remaining = _MAX_INSERTED_CHARACTERS

    def render(self, value: Json) -> Json:
        if isinstance(value, str):
            return self._render_text(value) if _OPEN in value else value
        if isinstance(value, Mapping):
            return {key: self.render(inner) for key, inner in cast("Mapping[str, Json]", value).items()}
        if isinstance(value, list):
            return [self.render(inner) for inner in cast("list[Json]", value)]
        return value

    def _render_text(self, text: str) -> Json:
        segments = parse_text(text)
        if len(segments) == 1 and isinstance(segments[0].content, Reference):
            value = self._resolve(segments[0].content)
            self._spend(format_inserted(value))
            return copy_value(value)
        return "".join(
            segment.content
            if isinstance(segment.content, str)
            else self._spend(format_inserted(self._resolve(segment.content)))
            for segment in segments
        )

    def _spend(self, text: str) -> str:
        self._remaining -= len(text)
        if self._remaining < 0:
            raise TemplateTooLong
        return text


def format_inserted(value: Json) -> str:
    """Return a value as it appears inside a longer text: a text as it is, any other value as JSON."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def escape_templates(value: Json) -> Json:
    """Return a value whose texts stand for themselves: for data that was not written as a template."""
    if isinstance(value, str):
        return value.replace(_OPEN, _ESCAPED_OPEN)
    if isinstance(value, Mapping):
        return {key: escape_templates(inner) for key, inner in cast("Mapping[str, Json]", value).items()}
    if isinstance(value, list):
        return [escape_templates(inner) for inner in cast("list[Json]", value)]
    return value


CALL_FIELDS: Mapping[str, Callable[[IncomingCall], Json]] = {
    "number": lambda call: call.record.call_number,
    "id": lambda call: call.call_id,
    "tool": lambda call: call.tool,
    "agent": lambda call: call.agent,
}
"""What `{{call.x}}` can refer to."""


class ValueMissing(ValueError):
    """A reference has no value in this call."""


def resolve_reference(reference: Reference, call: IncomingCall) -> Json:
    """Return the value of a reference.

    Raises:
        ValueMissing: The call has no such value.
    """
    resolve = _RESOLVERS.get(reference.root)
    value = resolve(reference.name, call) if resolve else MISSING
    if value is MISSING:
        raise ValueMissing(f"{{{{{reference.text}}}}} has no value: {_explain_missing(reference)}")
    return to_json_value(value)  # a callback may have put any object into the arguments or the state


def _resolve_argument(name: str, call: IncomingCall) -> Json:
    # With the tool's defaults: the response then shows the value that the tool itself would have used.
    return find_value(call.args_with_defaults, name)


def _resolve_call_field(name: str, call: IncomingCall) -> Json:
    read = CALL_FIELDS.get(name)
    return read(call) if read else MISSING


def _resolve_state(name: str, call: IncomingCall) -> Json:
    return find_value(call.caller.get_state(), name) if name else MISSING


def _resolve_result(name: str, call: IncomingCall) -> Json:
    tool, _, path = name.partition(".")
    history = call.caller.get_call_history()
    latest = next(history.iter_visible_calls(call.record, tool), None)
    if latest is None:
        return MISSING
    return find_value(latest.response, path) if path else latest.response


_RESOLVERS: Mapping[str, Callable[[str, IncomingCall], Json]] = {
    "args": _resolve_argument,
    "call": _resolve_call_field,
    "state": _resolve_state,
    "results": _resolve_result,
}
CALL_ROOTS = frozenset(_RESOLVERS)
"""What a reference can begin with."""


def _explain_missing(reference: Reference) -> str:
    match reference.root:
        case "args":
            return f"the call has no argument {reference.name!r}"
        case "state":
            return f"the session's state has no {reference.name!r}"
        case "results":
            tool, _, path = reference.name.partition(".")
            return f"no earlier result of {tool}" + (f" has {path!r}" if path else "")
        case _:
            return "there is no such value"

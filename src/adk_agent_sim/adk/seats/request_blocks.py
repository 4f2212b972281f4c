"""Splits an ADK `LlmRequest` into blocks, and takes snapshots of its values to tell which of them have changed.

ADK builds every request from scratch and copies the session's events for each run: no content, part or dict of a
request is an object of the request before it, only texts, bytes and numbers are. So each content is compared with a
snapshot of what it was in the last request, and only those that differ are converted and hashed.

A comparison costs a fraction of a conversion. Texts are kept by reference, because they cannot change and survive the
copies that ADK makes, so that Python compares two references. Whatever can change in place is kept as a copy: the
fields of a model one by one, dicts and lists as bytes of `marshal`, which distinguishes 5, 5.0 and True.
"""

from __future__ import annotations

import marshal
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, cast

from google.adk.models.llm_request import LlmRequest
from google.genai import types
from pydantic import BaseModel

from adk_agent_sim.adk.runs.answer_check import find_response_arguments_schema
from adk_agent_sim.forms.json_schema import to_json_schema
from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.canonical_json import Json, encode_json
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.model_request import RESPONSE_ARGUMENTS_SCHEMA, RequestBlocks

_MARSHAL_VERSION = 2
"""Later versions write shared objects as references, so that equal values would differ."""


def take_snapshot(value: object) -> object:
    """Return a snapshot of a value; it is equal to another value only if both convert to the same JSON."""
    kind = type(value)
    if value is None or kind is str:
        return value
    if _is_converted_by_field(kind):
        return _ModelSnapshot(kind, take_fields_snapshot(cast("BaseModel", value)))
    if kind is list and value and isinstance(cast("list[object]", value)[0], BaseModel):
        return _ListSnapshot([take_snapshot(item) for item in cast("list[object]", value)])
    return _DumpedSnapshot(kind, _dump_exactly(value))


def take_fields_snapshot(model: BaseModel) -> Mapping[str, object]:
    """Return a snapshot to compare with the `__dict__` of a google.genai model."""
    return {name: take_snapshot(value) for name, value in model.__dict__.items()}


@lru_cache(maxsize=512)
def _is_converted_by_field(kind: type) -> bool:
    """Return whether `to_json_value` converts the class field by field, and its fields are all there is to it."""
    return (
        issubclass(kind, BaseModel)
        and kind.__module__.startswith("google.")
        and kind.model_config.get("extra") != "allow"
    )


class _ModelSnapshot:
    """A model that is converted by field."""

    __slots__ = ("_fields", "_kind")
    __hash__ = None  # pyright: ignore[reportAssignmentType] - snapshots are only compared

    def __init__(self, kind: type, fields: Mapping[str, object]) -> None:
        self._kind = kind
        self._fields = fields

    def __eq__(self, other: object) -> bool:
        return type(other) is self._kind and other.__dict__ == self._fields


class _ListSnapshot:
    """A list of models."""

    __slots__ = ("_items",)
    __hash__ = None  # pyright: ignore[reportAssignmentType] - snapshots are only compared

    def __init__(self, items: Sequence[object]) -> None:
        self._items = items

    def __eq__(self, other: object) -> bool:
        return type(other) is list and self._items == other


class _DumpedSnapshot:
    """Any other value; of the same type, because 1 is True to Python, and an enum's member equals its value."""

    __slots__ = ("_dumped", "_kind")
    __hash__ = None  # pyright: ignore[reportAssignmentType] - snapshots are only compared

    def __init__(self, kind: type, dumped: bytes | str) -> None:
        self._kind = kind
        self._dumped = dumped

    def __eq__(self, other: object) -> bool:
        return type(other) is self._kind and _dump_exactly(other) == self._dumped


def _dump_exactly(value: Any) -> bytes | str:
    """Return the value as bytes; what `marshal` does not know, such as a date or a subclass, as its JSON text."""
    try:
        return marshal.dumps(value, _MARSHAL_VERSION)
    except ValueError:
        return encode_json(to_json_value(value)).decode("ascii")


_EXCLUDED_FIELDS = frozenset({"contents", "config", "live_connect_config", "tools_dict"})
_EXCLUDED_CONFIG_FIELDS = frozenset({"tools", "system_instruction", "response_schema"})
"""Fields that are not in the `config` block, because they have blocks of their own or are only used by ADK itself."""

_HTTP_OPTIONS_PATHS = (("config", "http_options"), ("cache_config", "create_http_options"))
_CONNECTION_FIELDS = ("httpx_client", "httpx_async_client", "aiohttp_client")
"""Open connections: objects of this process that no model reads."""

_CONTENT_KINDS = frozenset({types.Content, types.UserContent, types.ModelContent})

_LOOK_AHEAD = 16
"""How many contents of the last request are skipped at most in search of the same content."""


class RequestEncoder:
    """Converts the requests of one session to blocks."""

    def __init__(self) -> None:
        self._last_contents: dict[str, list[_EncodedContent]] = {}
        """The contents of the last request, by agent."""
        self._last_tools: dict[str, tuple[object, Block]] = {}
        """The snapshot and the block of the tools of the last request, by agent."""

    def encode(self, agent_name: str, request: LlmRequest) -> RequestBlocks:
        """Return the blocks of `request`, which is not modified."""
        # google.genai types these fields as unions that pyright cannot resolve.
        settings = cast("Any", request.config)
        config = {
            **_dump_fields(request, _EXCLUDED_FIELDS),
            "config": _dump_fields(request.config, _EXCLUDED_CONFIG_FIELDS),
        }
        # An agent may state its output schema in either field; forms read it from one.
        schema = settings.response_schema
        if schema is None and isinstance(config["config"].get("response_json_schema"), dict):
            schema = config["config"].pop("response_json_schema")
        if schema is not None:
            config["config"]["response_schema"] = to_json_schema(schema)
        if (schema := find_response_arguments_schema(request)) is not None:
            config[RESPONSE_ARGUMENTS_SCHEMA] = schema
        _remove_connections(config)
        return RequestBlocks(
            contents=self._encode_contents(agent_name, request.contents),
            tools=self._encode_tools(agent_name, settings.tools or []),
            instruction=_build_block(settings.system_instruction),
            config=Block.from_data(encode_json(config)),
        )

    def _encode_contents(self, agent_name: str, contents: Sequence[types.Content]) -> list[Block]:
        last = self._last_contents.get(agent_name, [])
        now: list[_EncodedContent] = []
        position = 0
        for content in contents:
            if position < len(last) and last[position].matches(content):
                now.append(last[position])
                position += 1
                continue
            # A callback may have left out or edited old contents; those after them are found further on.
            skipped = range(position + 1, min(position + 1 + _LOOK_AHEAD, len(last)))
            found = next((index for index in skipped if last[index].matches(content)), None)
            if found is None:
                now.append(_EncodedContent(content))
            else:
                now.append(last[found])
                position = found + 1
        self._last_contents[agent_name] = now
        return [encoded.block for encoded in now]

    def _encode_tools(self, agent_name: str, tools: list[object]) -> Block:
        last = self._last_tools.get(agent_name)
        if last is None or last[0] != tools:
            last = self._last_tools[agent_name] = (take_snapshot(tools), _build_block(tools))
        return last[1]


class _EncodedContent:
    """A content as it was when it was converted, and its block.

    It keeps few objects of its own, because Python's garbage collector visits them all, in a long conversation often.
    """

    __slots__ = ("_kind", "_parts", "_role", "block")

    def __init__(self, content: types.Content) -> None:
        self.block = _build_block(content)
        self._kind: type | None = None
        self._role: object = None
        self._parts: Sequence[Mapping[str, object]] = ()
        # Anything else that a callback may have put there is converted every time.
        if type(content) in _CONTENT_KINDS and all(type(part) is types.Part for part in content.parts or ()):
            self._kind = type(content)
            self._role = take_snapshot(content.role)
            self._parts = [take_fields_snapshot(part) for part in content.parts or ()]

    def matches(self, content: types.Content) -> bool:
        """Return whether a content would convert to the same block."""
        if type(content) is not self._kind:
            return False
        parts, known_parts = content.parts, self._parts
        if not parts or len(parts) != len(known_parts) or self._role != content.role:
            return False
        for index, part in enumerate(parts):
            # Snapshots may be on the right, because pydantic leaves a comparison with another class to that class.
            if type(part) is not types.Part or part.__dict__ != known_parts[index]:
                return False
        return True


def _build_block(value: object) -> Block:
    return Block.from_data(encode_json(to_json_value(value)))


def _remove_connections(config: dict[str, Json]) -> None:
    for parent, options in _HTTP_OPTIONS_PATHS:
        for connection in _CONNECTION_FIELDS:
            config.get(parent, {}).get(options, {}).pop(connection, None)


def _dump_fields(model: BaseModel, excluded: frozenset[str]) -> dict[str, Json]:
    return {
        name: to_json_value(value)
        for name, value in model.__dict__.items()
        if value is not None and name not in excluded
    }

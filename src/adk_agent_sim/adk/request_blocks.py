"""Splits an ADK `LlmRequest` into blocks.

ADK builds every request from scratch, but shares the leaf values of contents that it has sent before. A content whose
leaves equal those of the last request is not converted again, so the cost of a turn depends on what is new in it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, cast

from google.adk.models.llm_request import LlmRequest
from google.genai import types
from pydantic import BaseModel

from adk_agent_sim.forms.json_schema import to_json_schema
from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.canonical_json import Json, encode_json
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.model_request import RequestBlocks

_EXCLUDED_FIELDS = frozenset({"contents", "config", "live_connect_config", "tools_dict"})
_EXCLUDED_CONFIG_FIELDS = frozenset({"tools", "system_instruction", "response_schema"})
"""Fields that are not in the `config` block, because they have blocks of their own or are only used by ADK itself."""

_HTTP_OPTIONS_PATHS = (("config", "http_options"), ("cache_config", "create_http_options"))
_CONNECTION_FIELDS = ("httpx_client", "httpx_async_client", "aiohttp_client")
"""Open connections: objects of this process that no model reads."""

_EncodedContent = tuple[list[object], Block]


class RequestEncoder:
    """Converts the requests of one session to blocks."""

    def __init__(self) -> None:
        self._last_contents: dict[str, list[_EncodedContent]] = {}
        self._last_tools: tuple[object, Block] | None = None

    def encode(self, agent_name: str, request: LlmRequest) -> RequestBlocks:
        """Return the blocks of `request`, which is not modified."""
        # google.genai types these fields as unions that pyright cannot resolve.
        settings = cast("Any", request.config)
        config = {
            **_dump_fields(request, _EXCLUDED_FIELDS),
            "config": _dump_fields(request.config, _EXCLUDED_CONFIG_FIELDS),
        }
        if settings.response_schema is not None:
            config["config"]["response_schema"] = to_json_schema(settings.response_schema)
        _remove_connections(config)
        return RequestBlocks(
            contents=self._encode_contents(agent_name, request.contents),
            tools=self._encode_tools(settings.tools or []),
            instruction=Block.from_data(encode_json(to_json_value(settings.system_instruction))),
            config=Block.from_data(encode_json(config)),
        )

    def _encode_contents(self, agent_name: str, contents: Sequence[types.Content]) -> list[Block]:
        last = self._last_contents.get(agent_name, [])
        now: list[_EncodedContent] = []
        for index, content in enumerate(contents):
            if index < len(last) and _has_same_leaves(content, last[index][0]):
                now.append(last[index])
            else:
                now.append((list(_iter_content_leaves(content)), Block.from_data(encode_json(to_json_value(content)))))
        self._last_contents[agent_name] = now
        return [block for _, block in now]

    def _encode_tools(self, tools: list[object]) -> Block:
        if self._last_tools is None or self._last_tools[0] != tools:
            self._last_tools = (tools, Block.from_data(encode_json(to_json_value(tools))))
        return self._last_tools[1]


def _remove_connections(config: dict[str, Json]) -> None:
    for parent, options in _HTTP_OPTIONS_PATHS:
        for connection in _CONNECTION_FIELDS:
            config.get(parent, {}).get(options, {}).pop(connection, None)


def _compute_fingerprint(value: object) -> str:
    """Return a text that differs if the value differs; cheaper than the canonical JSON."""
    try:
        return json.dumps(value, default=repr)
    except (TypeError, ValueError, RecursionError):
        return repr(to_json_value(value))


def _dump_fields(model: BaseModel, excluded: frozenset[str]) -> dict[str, Json]:
    return {
        name: to_json_value(value)
        for name, value in model.__dict__.items()
        if value is not None and name not in excluded
    }


def _has_same_leaves(content: types.Content, known: list[object]) -> bool:
    """Return whether a content has the known leaves.

    Compares without building a list: in long conversations the lists would keep the garbage collector busy.
    """
    index = 0
    for leaf in _iter_content_leaves(content):
        if index >= len(known) or (leaf is not known[index] and leaf != known[index]):
            return False
        index += 1
    return index == len(known)


def _iter_content_leaves(content: types.Content) -> Iterator[object]:
    """Yield the values of a content.

    Dicts and lists are yielded as text, because a callback may change them in place, for example to redact them.
    """
    yield content.role
    for part in content.parts or ():
        yield types.Part
        yield from _iter_model_leaves(part)


def _iter_model_leaves(model: BaseModel) -> Iterator[object]:
    for name, value in model.__dict__.items():
        if value is None:
            continue
        yield name
        if isinstance(value, BaseModel):
            yield from _iter_model_leaves(value)
        elif isinstance(value, Mapping | list):
            yield _compute_fingerprint(cast("object", value))
        else:
            yield value

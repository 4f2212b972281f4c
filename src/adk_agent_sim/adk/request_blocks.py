"""Takes an ADK `LlmRequest` apart into blocks.

ADK builds every request anew but shares the leaves of contents it has sent before. A content whose leaves are equal to
those of the last request is not converted again, so a turn costs little more than what is new in it.
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
"""What is not in the request's `config` block."""

_EncodedContent = tuple[list[object], Block]


class RequestEncoder:
    """Converts the requests of one session."""

    def __init__(self) -> None:
        self._last_contents: dict[str, list[_EncodedContent]] = {}
        self._last_tools: tuple[object, Block] | None = None

    def encode(self, agent_name: str, request: LlmRequest) -> RequestBlocks:
        """The blocks of `request`."""
        stated = cast("Any", request.config)
        config = {
            **_dump_fields(request, _EXCLUDED_FIELDS),
            "config": _dump_fields(request.config, _EXCLUDED_CONFIG_FIELDS),
        }
        if stated.response_schema is not None:
            config["config"]["response_schema"] = to_json_schema(stated.response_schema)
        return RequestBlocks(
            contents=self._encode_contents(agent_name, request.contents),
            tools=self._encode_tools(stated.tools or []),
            instruction=Block.from_data(encode_json(to_json_value(stated.system_instruction))),
            config=Block.from_data(encode_json(config)),
        )

    def _encode_contents(self, agent_name: str, contents: Sequence[types.Content]) -> list[Block]:
        last = self._last_contents.get(agent_name, [])
        now: list[_EncodedContent] = []
        for place, content in enumerate(contents):
            if place < len(last) and _has_same_leaves(content, last[place][0]):
                now.append(last[place])
            else:
                now.append((list(_iter_content_leaves(content)), Block.from_data(encode_json(to_json_value(content)))))
        self._last_contents[agent_name] = now
        return [block for _, block in now]

    def _encode_tools(self, tools: list[object]) -> Block:
        if self._last_tools is None or self._last_tools[0] != tools:
            self._last_tools = (tools, Block.from_data(encode_json(to_json_value(tools))))
        return self._last_tools[1]


def _compute_fingerprint(value: object) -> str:
    """A quick text that is another one when the value is another one."""
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
    """Whether a content says what it said. Makes no list: long conversations would keep the garbage collector busy."""
    at = 0
    for leaf in _iter_content_leaves(content):
        if at >= len(known) or (leaf is not known[at] and leaf != known[at]):
            return False
        at += 1
    return at == len(known)


def _iter_content_leaves(content: types.Content) -> Iterator[object]:
    """What a content says, flat. Dicts may be changed in place, by a callback that redacts them: their text counts."""
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

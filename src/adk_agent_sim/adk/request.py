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

from adk_agent_sim.forms.schema import json_schema
from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.canonical import Json, encode
from adk_agent_sim.timeline.jsonable import jsonable
from adk_agent_sim.timeline.request import RequestBlocks

_APART = frozenset({"contents", "config", "live_connect_config", "tools_dict"})
_APART_IN_CONFIG = frozenset({"tools", "system_instruction", "response_schema"})
"""What is not in the request's `config` block."""

_Known = tuple[list[object], Block]


class RequestEncoder:
    """Converts the requests of one session."""

    def __init__(self) -> None:
        self._contents: dict[str, list[_Known]] = {}
        self._tools: tuple[object, Block] | None = None

    def encode(self, agent_name: str, request: LlmRequest) -> RequestBlocks:
        """The blocks of `request`."""
        stated = cast("Any", request.config)
        config = {**_fields(request, _APART), "config": _fields(request.config, _APART_IN_CONFIG)}
        if stated.response_schema is not None:
            config["config"]["response_schema"] = json_schema(stated.response_schema)
        return RequestBlocks(
            contents=self._of_contents(agent_name, request.contents),
            tools=self._of_tools(stated.tools or []),
            instruction=Block.of(encode(jsonable(stated.system_instruction))),
            config=Block.of(encode(config)),
        )

    def _of_contents(self, agent_name: str, contents: Sequence[types.Content]) -> list[Block]:
        last = self._contents.get(agent_name, [])
        now: list[_Known] = []
        for place, content in enumerate(contents):
            if place < len(last) and _is_same(content, last[place][0]):
                now.append(last[place])
            else:
                now.append((list(_leaves(content)), Block.of(encode(jsonable(content)))))
        self._contents[agent_name] = now
        return [block for _, block in now]

    def _of_tools(self, tools: list[object]) -> Block:
        if self._tools is None or self._tools[0] != tools:
            self._tools = (tools, Block.of(encode(jsonable(tools))))
        return self._tools[1]


def _text(value: object) -> str:
    """A quick text that is another one when the value is another one."""
    try:
        return json.dumps(value, default=repr)
    except (TypeError, ValueError, RecursionError):
        return repr(jsonable(value))


def _fields(model: BaseModel, apart: frozenset[str]) -> dict[str, Json]:
    return {name: jsonable(value) for name, value in model.__dict__.items() if value is not None and name not in apart}


def _is_same(content: types.Content, known: list[object]) -> bool:
    """Whether a content says what it said. Makes no list: long conversations would keep the garbage collector busy."""
    at = 0
    for leaf in _leaves(content):
        if at >= len(known) or (leaf is not known[at] and leaf != known[at]):
            return False
        at += 1
    return at == len(known)


def _leaves(content: types.Content) -> Iterator[object]:
    """What a content says, flat. Dicts may be changed in place, by a callback that redacts them: their text counts."""
    yield content.role
    for part in content.parts or ():
        yield types.Part
        yield from _leaves_of(part)


def _leaves_of(model: BaseModel) -> Iterator[object]:
    for name, value in model.__dict__.items():
        if value is None:
            continue
        yield name
        if isinstance(value, BaseModel):
            yield from _leaves_of(value)
        elif isinstance(value, Mapping | list):
            yield _text(cast("object", value))
        else:
            yield value

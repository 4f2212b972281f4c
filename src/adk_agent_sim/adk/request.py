"""Takes an ADK `LlmRequest` apart into blocks.

ADK builds every request anew but shares the leaves of contents it has sent before: texts, argument dicts, bytes. A
content whose leaves are the very objects of the last request is not converted again, so a turn costs what is new in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from operator import is_
from typing import Any, cast

from google.adk.models.llm_request import LlmRequest
from google.genai import types
from pydantic import BaseModel

from adk_agent_sim.adk.jsonable import dumped, jsonable
from adk_agent_sim.forms.schema import json_schema
from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.canonical import Json, encode
from adk_agent_sim.timeline.request import RequestBlocks

_APART = {"contents": True, "config": {"tools", "system_instruction", "response_schema"}, "live_connect_config": True}
"""What is not in the request's `config` block."""


class RequestEncoder:
    """Converts the requests of one session."""

    def __init__(self) -> None:
        self._last: dict[str, list[tuple[list[object], Block]]] = {}

    def encode(self, agent_name: str, request: LlmRequest) -> RequestBlocks:
        """The blocks of `request`."""
        config = dumped(request, exclude=_APART)
        stated = cast("Any", request.config)
        if stated.response_schema is not None:
            config["config"]["response_schema"] = json_schema(stated.response_schema)
        return RequestBlocks(
            contents=self._contents(agent_name, request.contents),
            tools=Block.of(encode([_json(tool) for tool in stated.tools or ()])),
            instruction=Block.of(encode(_json(stated.system_instruction))),
            config=Block.of(encode(config)),
        )

    def _contents(self, agent_name: str, contents: Sequence[types.Content]) -> list[Block]:
        last = self._last.get(agent_name, [])
        now: list[tuple[list[object], Block]] = []
        for place, content in enumerate(contents):
            leaves = _leaves(content)
            if place < len(last) and _same(last[place][0], leaves):
                now.append(last[place])
            else:
                now.append((leaves, Block.of(encode(dumped(content)))))
        self._last[agent_name] = now
        return [block for _, block in now]


def _leaves(content: types.Content) -> list[object]:
    """The objects that ADK shares between two copies of a content."""
    found: list[object] = [content.role]
    for part in content.parts or ():
        found.append(types.Part)
        _add_leaves(found, part)
    return found


def _add_leaves(found: list[object], model: BaseModel) -> None:
    for name, value in model.__dict__.items():
        if value is None:
            continue
        found.append(name)
        if isinstance(value, BaseModel):
            _add_leaves(found, value)
        else:
            found.append(value)


def _same(before: list[object], now: list[object]) -> bool:
    return len(before) == len(now) and all(map(is_, before, now))


def _json(value: object) -> Json:
    return dumped(value) if isinstance(value, BaseModel) else jsonable(value)

"""Splits a model request into blocks for storage, and reassembles it for readers."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from adk_agent_sim.errors import BlocksMissing
from adk_agent_sim.forms.schema_dialect import JsonSchema, read_parameters_schema
from adk_agent_sim.timeline.blocks import Block, BlockReader, pack_ids, unpack_ids
from adk_agent_sim.timeline.canonical_json import Json, decode_json
from adk_agent_sim.timeline.events import Event, TurnAsked
from adk_agent_sim.timeline.framework_calls import SET_MODEL_RESPONSE

RESPONSE_ARGUMENTS_SCHEMA = "response_arguments_schema"
"""The entry of a `config` block that holds the schema of the response tool's arguments. No model receives it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RequestBlocks:
    """A model request, split into blocks."""

    contents: Sequence[Block]
    tools: Block
    instruction: Block
    config: Block


@dataclass(frozen=True, kw_only=True)
class RequestSettings:
    """The input of a model call without the conversation: all that a decision is validated against.

    Its size does not depend on the length of the session. It may be shared by several turns: do not modify it.
    """

    tools: Sequence[Json]
    """The offered tools, `types.Tool` each; most contain `function_declarations`."""

    instruction: Json
    """The resolved system instruction; None if there is none."""

    config: Mapping[str, Json]
    """The rest: `model`, and in `config` the generation settings, with `response_schema` as JSON Schema."""

    @cached_property
    def declarations(self) -> Mapping[str, Json]:
        """The function declarations by name, in request order."""
        return {
            declaration["name"]: declaration
            for tool in self.tools
            for declaration in tool.get("function_declarations") or ()
            if declaration.get("name")
        }

    @property
    def response_schema(self) -> Json:
        """The JSON Schema of the final answer; None if any text is valid."""
        return self.config["config"].get("response_schema")

    def find_parameters_schema(self, tool_name: str) -> JsonSchema | None:
        """Return the schema that the arguments of a tool must match; None if the tool is not offered.

        For ADK's response tool it is the schema of the agent's output type, which has more constraints than what ADK
        declares; what was recorded without it has the declaration only.
        """
        declaration = self.declarations.get(tool_name)
        if declaration is None:
            return None
        own_schema = self.config.get(RESPONSE_ARGUMENTS_SCHEMA) if tool_name == SET_MODEL_RESPONSE else None
        return own_schema if own_schema is not None else read_parameters_schema(declaration)


@dataclass(frozen=True, kw_only=True)
class ModelRequest(RequestSettings):
    """The complete input of a model call."""

    contents: Sequence[Json]
    """The conversation, `types.Content` each."""


class RequestSettingsReader:
    """Reads the settings of requests, and keeps the last ones: most turns of an agent have the same."""

    def __init__(self, max_kept: int = 64) -> None:
        self._max_kept = max_kept
        self._kept: dict[tuple[str, str, str], RequestSettings] = {}
        """The settings by the ids of their blocks, least recently used first."""

    async def read(self, asked_event: Event, read_blocks: BlockReader) -> RequestSettings:
        """Return the settings of a `TurnAsked` event's request; raise BlocksMissing if a block cannot be read."""
        payload = get_turn_asked(asked_event)
        key = (payload.tools, payload.instruction, payload.config)
        # Taken out and put back at the end, so that the first entry is the one that was used longest ago.
        settings = self._kept.pop(key, None)
        if settings is None:
            data = await read_blocks(list({*key}))
            missing = {*key} - data.keys()
            if missing:
                raise BlocksMissing(asked_event.session_id, len(missing))
            tools, instruction, config = (decode_json(data[block_id]) for block_id in key)
            settings = RequestSettings(tools=tools, instruction=instruction, config=config)
        self._kept[key] = settings
        if len(self._kept) > self._max_kept:
            del self._kept[next(iter(self._kept))]
        return settings


def build_turn_asked(
    request: RequestBlocks, invocation_id: str, known_block_ids: Container[str]
) -> tuple[TurnAsked, list[Block]]:
    """Return the request as references, and the referenced blocks whose ids are not in `known_block_ids`."""
    groups: list[Block] = []
    asked = TurnAsked(
        invocation_id=invocation_id,
        contents=pack_ids([block.block_id for block in request.contents], groups.append),
        tools=request.tools.block_id,
        instruction=request.instruction.block_id,
        config=request.config.block_id,
    )
    blocks = (*request.contents, request.tools, request.instruction, request.config, *groups)
    new = {block.block_id: block for block in blocks if block.block_id not in known_block_ids}
    return asked, list(new.values())


async def reassemble_request(asked_event: Event, read_blocks: BlockReader) -> ModelRequest:
    """Return the complete request of a `TurnAsked` event; raise BlocksMissing if a block cannot be read."""
    payload = get_turn_asked(asked_event)
    try:
        content_ids = await unpack_ids(payload.contents, read_blocks)
        data = await read_blocks(list({*content_ids, payload.tools, payload.instruction, payload.config}))
        return ModelRequest(
            contents=[decode_json(data[block_id]) for block_id in content_ids],
            tools=decode_json(data[payload.tools]),
            instruction=decode_json(data[payload.instruction]),
            config=decode_json(data[payload.config]),
        )
    # A store leaves blocks out that it does not have.
    except KeyError as error:
        raise BlocksMissing(asked_event.session_id, 1) from error


def get_turn_asked(event: Event) -> TurnAsked:
    """Return the payload of a `TurnAsked` event; raise TypeError for any other event."""
    if not isinstance(event.payload, TurnAsked):
        kind = type(event.payload).__name__
        raise TypeError(f"Only a TurnAsked event has a request; event {event.event_id} is a {kind}.")
    return event.payload

"""A model request, taken apart to be stored and put together to be read."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Container, Mapping, Sequence
from dataclasses import dataclass

from adk_agent_sim.errors import BlocksMissing
from adk_agent_sim.timeline.blocks import Block, pack_ids, unpack_ids
from adk_agent_sim.timeline.canonical_json import Json, decode_json
from adk_agent_sim.timeline.events import Event, TurnAsked


@dataclass(frozen=True, kw_only=True, slots=True)
class RequestBlocks:
    """A model request as blocks, on its way to the timeline."""

    contents: Sequence[Block]
    tools: Block
    instruction: Block
    config: Block


@dataclass(frozen=True, kw_only=True, slots=True)
class ModelRequest:
    """What the model would read in a turn."""

    contents: Sequence[Json]
    """The conversation, `types.Content` each."""

    tools: Sequence[Json]
    """What is offered, `types.Tool` each; most hold `function_declarations`."""

    instruction: Json
    """The resolved system instruction; None if there is none."""

    config: Mapping[str, Json]
    """Everything else: `model`, and in `config` the generation settings, `response_schema` as JSON Schema."""

    @property
    def declarations(self) -> Mapping[str, Json]:
        """The function declarations by name, in the order in which they are offered."""
        return {
            declaration["name"]: declaration
            for tool in self.tools
            for declaration in tool.get("function_declarations") or ()
        }

    @property
    def response_schema(self) -> Json:
        """The JSON Schema that a final answer must fit; None if any text will do."""
        return self.config["config"].get("response_schema")


def build_turn_asked(
    request: RequestBlocks, invocation_id: str, known_block_ids: Container[str]
) -> tuple[TurnAsked, list[Block]]:
    """A request as references, and the blocks it refers to that are not known yet."""
    new: dict[str, Block] = {}

    def collect(block: Block) -> None:
        if block.block_id not in known_block_ids:
            new[block.block_id] = block

    for block in (*request.contents, request.tools, request.instruction, request.config):
        collect(block)
    asked = TurnAsked(
        invocation_id=invocation_id,
        contents=pack_ids([block.block_id for block in request.contents], collect),
        tools=request.tools.block_id,
        instruction=request.instruction.block_id,
        config=request.config.block_id,
    )
    return asked, list(new.values())


async def reassemble_request(
    asked_event: Event, read_blocks: Callable[[Sequence[str]], Awaitable[Mapping[str, bytes]]]
) -> ModelRequest:
    """The whole request of a `TurnAsked` event; `read` gives the data of blocks."""
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
    except KeyError as error:
        raise BlocksMissing(asked_event.session_id, 1) from error


def get_turn_asked(event: Event) -> TurnAsked:
    """What was asked, of an event that asks."""
    if not isinstance(event.payload, TurnAsked):
        kind = type(event.payload).__name__
        raise TypeError(f"Only a TurnAsked event holds a request; event {event.event_id} is {kind}.")
    return event.payload

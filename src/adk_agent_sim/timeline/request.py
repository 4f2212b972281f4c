"""A model request, taken apart to be stored and put together to be read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.canonical import Json


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

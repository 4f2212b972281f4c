"""JSON from the timeline made into ADK's and google.genai's values again."""

from __future__ import annotations

from typing import TypeVar

from pydantic import BaseModel

from adk_agent_sim.timeline.canonical import Json, encode, mended

Model = TypeVar("Model", bound=BaseModel)


def revived(kind: type[Model], value: Json) -> Model:
    """The model of a JSON value; half surrogate pairs, which pydantic refuses, become U+FFFD."""
    return kind.model_validate_json(mended(encode(value)))

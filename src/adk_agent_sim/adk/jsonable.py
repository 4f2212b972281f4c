"""ADK's and google.genai's values as plain JSON, safe to keep: nothing in the copy changes when the original does."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel
from pydantic_core import to_jsonable_python

from adk_agent_sim.timeline.canonical import Json


def jsonable(value: object) -> Json:
    """Any Python value as JSON; what has no JSON form is shown as `repr` shows it."""
    return to_jsonable_python(value, by_alias=False, fallback=repr, bytes_mode="base64", inf_nan_mode="constants")


def dumped(model: BaseModel, exclude: Any = None) -> Json:
    """A model as JSON, Python field names, without what is not set."""
    return model.model_dump(mode="json", by_alias=False, exclude_none=True, exclude=exclude, fallback=repr)

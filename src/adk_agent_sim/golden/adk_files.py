"""Parses ADK's own files, EvalSets and sessions, after the checks that every JSON file passes."""

from __future__ import annotations

from typing import TypeVar

from pydantic import BaseModel

from adk_agent_sim.timeline.strict_json import parse_json

_ModelT = TypeVar("_ModelT", bound=BaseModel)


def parse_adk_file(text: str, model: type[_ModelT]) -> _ModelT:
    """Return the model of a file's text; raise ValueError if it is not valid."""
    # pydantic's own parser lets the last of several equal keys win.
    parse_json(text)
    return model.model_validate_json(text)

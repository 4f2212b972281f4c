"""The base class of the models of a rules file."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class StrictModel(BaseModel):
    """Refuses unknown keys and does not convert types: a typo is an error, and "1" is not a number."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, populate_by_name=True)

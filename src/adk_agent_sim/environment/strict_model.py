"""The base of everything that a rules file is made of."""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class StrictModel(BaseModel):
    """Knows its keys and their types exactly: a typo is an error, and "1" is no number."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, populate_by_name=True)

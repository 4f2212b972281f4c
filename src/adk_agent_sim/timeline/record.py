"""The base of all records: one class for Python, the JSON of commands, the web API and the browser's types.

The browser's TypeScript types are generated from the records that the web API answers with.
"""

from __future__ import annotations

from pydantic import BaseModel, ConfigDict


class Record(BaseModel):
    """Base class of all records; unknown fields are rejected."""

    model_config = ConfigDict(extra="forbid", json_schema_serialization_defaults_required=True)


class FrozenRecord(Record):
    """A record that never changes, and can be a key."""

    model_config = ConfigDict(frozen=True)

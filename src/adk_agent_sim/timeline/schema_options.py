"""What makes the timeline's dataclasses describe themselves in the JSON Schema of the web API, as its records do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

SCHEMA_OPTIONS: Final[Mapping[str, bool]] = {
    "use_attribute_docstrings": True,
    # What a client receives always has all fields.
    "json_schema_serialization_defaults_required": True,
}
"""The `__pydantic_config__` of a dataclass that is sent to clients as it is; it costs nothing where it is folded."""

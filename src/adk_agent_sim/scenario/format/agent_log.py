"""One entry of an agent's log, as stored in `world_logs` of a scenario file: JSON text without a fixed schema."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from adk_agent_sim.timeline.strict_json import InvalidJson, parse_json

_WRAPPED_ID = "adk-agent-sim-log"
"""The id of an entry that contains another one, which ARE could not read, as its content."""


@dataclass(frozen=True)
class BaseAgentLog:
    """An entry of the agent's log; `text` is the JSON text in the file, `fields` its keys."""

    text: str

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> BaseAgentLog:
        """Create an entry with these keys."""
        return cls(json.dumps(dict(fields), ensure_ascii=False))

    @property
    def fields(self) -> dict[str, Any]:
        """The keys of the entry; a text that is not a JSON object becomes the key `message`."""
        fields = _parse_fields(self.text)
        is_wrapped = fields.get("id") == _WRAPPED_ID and isinstance(fields.get("content"), str)
        return _parse_fields(fields["content"]) if is_wrapped else fields

    def to_are_text(self) -> str:
        """Return the text for a file that ARE reads: it refuses entries without a `log_type`.

        Such an entry is written as the content of a thought, from which `fields` takes it again.
        """
        if "log_type" in _parse_fields(self.text):
            return self.text
        time = self.fields.get("timestamp")
        entry = {
            "id": _WRAPPED_ID,
            "log_type": "thought",
            "timestamp": time if isinstance(time, int | float) else 0.0,
            "agent_id": "unknown",
            "content": self.text,
        }
        return json.dumps(entry, ensure_ascii=False)


def _parse_fields(text: str) -> dict[str, Any]:
    try:
        value = parse_json(text, allow_duplicate_keys=True)
    except InvalidJson:
        return {"message": text}
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {"message": text}

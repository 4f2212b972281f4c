"""One entry of an agent's log, as stored in `world_logs` of a scenario file: JSON text without a fixed schema."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast

from adk_agent_sim.timeline.strict_json import InvalidJson, parse_json


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
        try:
            value = parse_json(self.text, allow_duplicate_keys=True)
        except InvalidJson:
            return {"message": self.text}
        return cast("dict[str, Any]", value) if isinstance(value, dict) else {"message": self.text}

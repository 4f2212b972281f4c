"""One line of an agent's log, as the world logs of a file hold it: JSON text whose keys are not fixed."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, cast


@dataclass(frozen=True)
class BaseAgentLog:
    """A line of the log; `fields` are its keys, and `text` is how it stands in the file."""

    text: str

    @classmethod
    def from_dict(cls, fields: Mapping[str, Any]) -> BaseAgentLog:
        """A line with these keys."""
        return cls(json.dumps(dict(fields), ensure_ascii=False))

    @property
    def fields(self) -> dict[str, Any]:
        """The keys; a text that is no JSON object is a message."""
        try:
            value = json.loads(self.text)
        except (ValueError, RecursionError):
            return {"message": self.text}
        return cast("dict[str, Any]", value) if isinstance(value, dict) else {"message": self.text}

"""The name of each event kind, as it is written in databases, in JSON Lines files and in the protocol."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType
from typing import Final, get_args

from adk_agent_sim.timeline.events import Payload, Unreadable

KIND_NAMES: Final[Mapping[type[Payload], str]] = MappingProxyType(
    {
        payload_class: re.sub(r"(?<!^)(?=[A-Z])", "_", payload_class.__name__).lower()
        for payload_class in get_args(Payload)
        if payload_class is not Unreadable
    }
)
"""The kinds by payload class. The names are stored, so classes cannot be renamed; they are those of the protocol."""

PAYLOAD_CLASSES: Final[Mapping[str, type[Payload]]] = MappingProxyType(
    {name: payload_class for payload_class, name in KIND_NAMES.items()}
)
"""The payload classes by kind."""

"""Random arguments that fit the JSON Schema of a tool, preferably with values that were seen in the world."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, cast

from adk_agent_sim.scenario.app_base.datetimes import format_datetime
from adk_agent_sim.scenario.app_base.world_random import WorldRandom
from adk_agent_sim.scenario.players.known_values import ADDRESS_NAME, ID_NAME, KnownValues

_Option = TypeVar("_Option")

_WORDS = ("Lunch", "Report", "Tomorrow at nine", "Thanks", "Blue", "Paris", "Project", "notes.txt", "INBOX", "Default")

_OPTIONAL_PROBABILITY = 0.3
"""How often an argument that is not required is given."""

_KNOWN_PROBABILITY = 0.8
"""How often a value is one that was seen, if there is one."""

_MAX_DEPTH = 3


class RandomArguments:
    """Generates arguments; the same stream and the same known values give the same arguments."""

    def __init__(self, chance: WorldRandom, known: KnownValues, *, now: float = 0.0) -> None:
        self._chance = chance
        self._known = known
        self.now = now
        """The time around which dates are generated."""

    def generate(self, schema: Mapping[str, Any]) -> dict[str, Any]:
        """Return arguments that fit the schema of a tool's parameters."""
        required = schema.get("required", ())
        return {
            name: self._generate_value(name, each, depth=0)
            for name, each in schema.get("properties", {}).items()
            if name in required or self._chance.next_float() < _OPTIONAL_PROBABILITY
        }

    def pick(self, options: Sequence[_Option]) -> _Option:
        """Return one of the options, which must not be empty."""
        return options[int(self._chance.next_float() * len(options))]

    def generate_text(self, name: str = "") -> str:
        """Return a text for a field of this name."""
        lowered = name.lower()
        known = self._known.find(name, str)
        if not known and lowered.endswith(("id", "ids")):
            known = self._known.find(ID_NAME, str)
        if not known and any(word in lowered for word in ("recipient", "cc", "attendee", "email", "sender")):
            known = self._known.find(ADDRESS_NAME, str)
        if known and self._chance.next_float() < _KNOWN_PROBABILITY:
            return self.pick(known)
        if "date" in lowered or "time" in lowered:
            return format_datetime(self.now + self._chance.uniform(-7, 7) * 86_400)
        return self.pick(_WORDS)

    def _generate_value(self, name: str, schema: Mapping[str, Any], depth: int) -> Any:
        if "anyOf" in schema:
            return self._generate_value(name, self.pick(schema["anyOf"]), depth)
        return self._get_generator(schema.get("type"))(name, schema, depth)

    def _get_generator(self, json_type: object) -> Callable[[str, Mapping[str, Any], int], Any]:
        match json_type:
            case "integer":
                return lambda name, schema, depth: self._generate_integer(name)
            case "number":
                return lambda name, schema, depth: self._generate_number(name)
            case "boolean":
                return lambda name, schema, depth: self._chance.next_float() < 1 / 2
            case "null":
                return lambda name, schema, depth: None
            case "array":
                return self._generate_list
            case "object":
                return self._generate_object
            case _:
                return lambda name, schema, depth: self.generate_text(name)

    def _generate_integer(self, name: str) -> int:
        known = self._known.find(name, int)
        if known and self._chance.next_float() < _KNOWN_PROBABILITY:
            return self.pick(known)
        return int(self._chance.uniform(0, 10))

    def _generate_number(self, name: str) -> float:
        known = self._known.find(name, float)
        if known and self._chance.next_float() < _KNOWN_PROBABILITY:
            return self.pick(known)
        return round(self._chance.uniform(0, 1_000), 2)

    def _generate_list(self, name: str, schema: Mapping[str, Any], depth: int) -> list[Any]:
        length = 0 if depth >= _MAX_DEPTH else int(self._chance.uniform(0, 3))
        # The fields of a state are named in the singular or as the list is.
        singular = name if self._known.find(name, str) else name.removesuffix("s")
        return [self._generate_value(singular, schema.get("items", {}), depth + 1) for _ in range(length)]

    def _generate_object(self, name: str, schema: Mapping[str, Any], depth: int) -> dict[str, Any]:
        given = schema.get("additionalProperties")
        items: Mapping[str, Any] = cast("Mapping[str, Any]", given) if isinstance(given, Mapping) else {}
        length = 0 if depth >= _MAX_DEPTH else int(self._chance.uniform(0, 3))
        keys = [self.generate_text() for _ in range(length)]
        return {key: self._generate_value(key, items, depth + 1) for key in keys}

"""A player that makes valid calls at random, waits, and says something to the user; and all players by their names.

Its calls fit the schemas of the tools, with ids and names that occur in the world. A scenario that it passes does not
tell agents apart.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, TypeVar, cast

from adk_agent_sim.scenario.app_base.app import Operation
from adk_agent_sim.scenario.app_base.time_and_random import WorldRandom, format_datetime
from adk_agent_sim.scenario.app_base.tool_call import build_parameters_schema
from adk_agent_sim.scenario.format.imported_scenario import ScenarioImportedFromJson
from adk_agent_sim.scenario.players.world_player import (
    IdlePlayer,
    MessageToUser,
    NotificationWait,
    OraclePlayer,
    PlayerAction,
    PlayerView,
    PlayFinished,
    ToolUse,
    WorldPlayer,
)
from adk_agent_sim.scenario.world.noise import OfferedTool
from adk_agent_sim.scenario.world.world import World

_ID = re.compile(r"(?<![0-9a-f])(?:[0-9a-f]{32}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?![0-9a-f])")
_ADDRESS = re.compile(r"[\w.+-]{1,64}@[\w-]{1,64}(?:\.[\w-]{1,64}){1,4}")

_MIN_ID_CHARS = 32
_MAX_PER_NAME = 64
_MAX_TEXT_CHARS = 200
"""Longer texts are not kept as values; ids are found in texts of any length up to `_MAX_SEARCHED_CHARS`."""
_MAX_SEARCHED_CHARS = 100_000
_MAX_VALUES = 50_000
"""How much of a state is read; the rest adds little variety."""

ID_NAME, ADDRESS_NAME = "id", "email"
"""The names under which ids and addresses of any field are kept."""


class KnownValues:
    """Values by the names of their fields, in the order in which they were first seen."""

    def __init__(self) -> None:
        self._by_name: dict[str, dict[Any, None]] = {}
        self._read_count = 0

    def find(self, name: str, kind: type) -> list[Any]:
        """Return the values of a field that have a type."""
        return [each for each in self._by_name.get(name, ()) if type(each) is kind]

    def add_state(self, state: Any) -> None:
        """Add the values of JSON, such as the states of apps."""
        pending: list[tuple[str, Any]] = [("", state)]
        while pending and self._read_count < _MAX_VALUES:
            name, value = pending.pop()
            self._read_count += 1
            if isinstance(value, Mapping):
                for key, each in cast("Mapping[Any, Any]", value).items():
                    self.add_text(str(key))
                    pending.append((str(key), each))
            elif isinstance(value, list):
                pending += [(name, each) for each in cast("list[Any]", value)]
            else:
                self._add(name, value)
                if isinstance(value, str):
                    self.add_text(value)

    def add_text(self, text: str) -> None:
        """Add the ids and addresses in a text, such as the result of a call."""
        searched = text[:_MAX_SEARCHED_CHARS]
        for each in _ID.findall(searched) if len(searched) >= _MIN_ID_CHARS else ():
            self._add(ID_NAME, each)
        for each in _ADDRESS.findall(searched) if "@" in searched else ():
            self._add(ADDRESS_NAME, each)

    def _add(self, name: str, value: Any) -> None:
        if not isinstance(value, str | int | float) or (isinstance(value, str) and len(value) > _MAX_TEXT_CHARS):
            return
        values = self._by_name.setdefault(name, {})
        if len(values) < _MAX_PER_NAME:
            values[value] = None


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


_TURN_ENDING, _WAITING = "send_message_to_user", "wait_for_notification"
"""Tools that it calls on purpose and not at random."""

_MIN_CALLS, _MAX_CALLS = 10, 20
"""Calls before each message to the user."""

_MAX_EXTRA_CALLS = 30
"""Further calls of tools that change something, until one succeeds: who only reads and answers is not random."""

_WAIT_PROBABILITY = 0.1
_MAX_WAIT_SECONDS = 60
_ANSWER_SECONDS = 120
"""How long it waits for what follows its message."""


class RandomPlayer:
    """Plays some turns at random. The same scenario, seed and views give the same actions."""

    def __init__(self, scenario: ScenarioImportedFromJson, *, seed: int = 0, max_turns: int = 4) -> None:
        """Prepare a player.

        Args:
            scenario: The scenario, whose apps have the ids and names that it uses.
            seed: The seed of its choices.
            max_turns: How many messages it sends to the user.
        """
        self._chance = WorldRandom(seed, "random player")
        self._known = KnownValues()
        self._known.add_state([each.app_state for each in scenario.apps])
        self._arguments = RandomArguments(self._chance, self._known)
        self._remaining_turns = max_turns
        self._start_turn()
        self._schemas: dict[str, dict[str, Any]] = {}
        self._has_asked = False

    def choose_action(self, view: PlayerView) -> PlayerAction:
        """Return a call, a wait or, after some of them, a message."""
        for text in [*(each.text for each in view.results), *(each.text for each in view.notifications)]:
            self._known.add_text(text)
        self._arguments.now = view.now
        if self._has_asked:
            self._has_asked = False
            return NotificationWait(seconds=_ANSWER_SECONDS)
        if self._remaining_turns == 0:
            return PlayFinished()
        if any(not each.is_error and _is_write(view.tools.get(each.name)) for each in view.results):
            self._remaining_extra_calls = 0
        if self._remaining_calls + self._remaining_extra_calls > 0:
            if self._chance.next_float() < _WAIT_PROBABILITY:
                return NotificationWait(seconds=1 + int(self._chance.uniform(0, _MAX_WAIT_SECONDS)))
            is_extra = self._remaining_calls == 0
            self._remaining_calls -= not is_extra
            self._remaining_extra_calls -= is_extra
            if (use := self._choose_call(view.tools, writes_only=is_extra)) is not None:
                return use
        self._remaining_turns -= 1
        self._start_turn()
        self._has_asked = True
        return MessageToUser(text=self._arguments.generate_text())

    def _start_turn(self) -> None:
        self._remaining_calls = int(self._chance.uniform(_MIN_CALLS, _MAX_CALLS + 1))
        self._remaining_extra_calls = _MAX_EXTRA_CALLS

    def _choose_call(self, tools: Mapping[str, OfferedTool], *, writes_only: bool) -> ToolUse | None:
        names = [
            name
            for name, each in tools.items()
            if each.tool.name not in (_TURN_ENDING, _WAITING) and (_is_write(each) or not writes_only)
        ]
        if not names:
            return None
        name = self._arguments.pick(names)
        if name not in self._schemas:
            self._schemas[name] = build_parameters_schema(tools[name].tool)
        return ToolUse(name=name, arguments=self._arguments.generate(self._schemas[name]))


def _is_write(offered: OfferedTool | None) -> bool:
    return offered is not None and offered.tool.operation is Operation.WRITE and offered.tool.name != _TURN_ENDING


ORACLE, NOTHING, RANDOM = "oracle", "nothing", "random"

WORLD_PLAYERS: Mapping[str, Callable[[World, int], WorldPlayer]] = MappingProxyType(
    {
        ORACLE: lambda world, seed: OraclePlayer(world),
        NOTHING: lambda world, seed: IdlePlayer(),
        RANDOM: lambda world, seed: RandomPlayer(world.scenario, seed=seed),
    }
)
"""Creates a player for one run in a world; the seed decides what a random player does."""

"""Generators of the single values of a response: texts, numbers, flags, choices and constants that a schema allows.

A pattern may have literals, classes, groups, alternatives and counts. Look-arounds, back-references and the like are
not supported; the caller checks the text against the pattern anyway.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from functools import lru_cache
from typing import Any, TypeAlias, cast

from adk_agent_sim.errors import MockImpossible
from adk_agent_sim.forms.bounded_regex import is_match
from adk_agent_sim.mocks.field_values import (
    ValueGenerator,
    find_flag,
    find_number_generator,
    find_text_generator,
    generate_email,
    generate_url,
    generate_uuid,
    make_date_generator,
    make_datetime_generator,
)
from adk_agent_sim.mocks.mocked_call import CallInputs, KeyedDraws, make_salt, split_words, to_singular
from adk_agent_sim.timeline.canonical_json import Json

_DIGITS = "0123456789"
_LOWER = "abcdefghijklmnopqrstuvwxyz"
_UPPER = _LOWER.upper()
_WORD = _LOWER + _UPPER + _DIGITS
_CLASSES = {"d": _DIGITS, "w": _WORD, "s": " ", "D": _LOWER, "W": "-", "S": _WORD}
_ESCAPES = {"t": "\t", "n": "\n"}
_PRINTABLE = _WORD + "-_.:/@# "
_OPEN_REPEATS = 2
"""How much more than its minimum an unbounded part is repeated at most."""
_MAX_REPEATS = 200

_TextGenerator = Callable[[KeyedDraws, int], str]


class UnsupportedPattern(ValueError):
    """The pattern has something that is not known here."""


@lru_cache(maxsize=512)
def compile_pattern(pattern: str) -> _TextGenerator:
    """Return a function that generates texts.

    Raises:
        UnsupportedPattern: There is something in it for which no text can be generated.
    """
    parser = _PatternParser(pattern)
    generate = parser.parse_alternatives()
    if not parser.is_at_end:
        raise UnsupportedPattern(pattern)
    return generate


class _PatternParser:
    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._position = 0

    @property
    def is_at_end(self) -> bool:
        return self._position >= len(self._pattern)

    def parse_alternatives(self) -> _TextGenerator:
        branches = [self._parse_sequence()]
        while self._take("|"):
            branches.append(self._parse_sequence())
        return branches[0] if len(branches) == 1 else _make_alternative_generator(branches)

    def _parse_sequence(self) -> _TextGenerator:
        parts: list[_TextGenerator] = []
        while not self.is_at_end and self._pattern[self._position] not in "|)":
            if self._take("^") or self._take("$"):
                continue
            parts.append(self._parse_count(self._parse_atom()))
        return _make_sequence_generator(parts)

    def _parse_atom(self) -> _TextGenerator:
        character = self._next()
        if character == "(":
            if self._take("?") and not self._take(":"):
                raise UnsupportedPattern(self._pattern)
            inner = self.parse_alternatives()
            self._require(")")
            return inner
        if character == "[":
            return _make_character_generator(self._parse_class())
        if character == ".":
            return _make_character_generator(_WORD)
        if character == "\\":
            return _make_character_generator(self._parse_escape())
        if character in "*+?{":
            raise UnsupportedPattern(self._pattern)
        return _make_character_generator(character)

    def _parse_escape(self) -> str:
        character = self._next()
        if character in _CLASSES:
            return _CLASSES[character]
        if character in _ESCAPES:
            return _ESCAPES[character]
        if character.isalnum():
            raise UnsupportedPattern(self._pattern)
        return character

    def _parse_class(self) -> str:
        is_negated = self._take("^")
        found = ""
        # A bracket right after the opening one is a member of the class.
        while not (found and self._take("]")):
            first = self._parse_class_member()
            if len(first) == 1 and self._pattern[self._position : self._position + 1] == "-":
                # A hyphen before the closing bracket stands for itself.
                if self._pattern[self._position + 1 : self._position + 2] == "]":
                    found += first
                    continue
                self._next()
                last = self._parse_class_member()
                found += "".join(map(chr, range(ord(first), min(ord(last), ord(first) + 255) + 1)))
            else:
                found += first
        if not is_negated:
            return found
        allowed = "".join(character for character in _PRINTABLE if character not in found)
        if not allowed:
            raise UnsupportedPattern(self._pattern)
        return allowed

    def _parse_class_member(self) -> str:
        character = self._next()
        return self._parse_escape() if character == "\\" else character

    def _parse_count(self, generate: _TextGenerator) -> _TextGenerator:
        if self._take("*"):
            low, high = 0, _OPEN_REPEATS
        elif self._take("+"):
            low, high = 1, 1 + _OPEN_REPEATS
        elif self._take("?"):
            low, high = 0, 1
        elif self._take("{"):
            low, high = self._parse_bounds()
        else:
            return generate
        if self._take("?") or self._take("+"):
            pass  # greediness makes no difference for what can match
        if high > _MAX_REPEATS:
            raise UnsupportedPattern(self._pattern)
        return _make_repeat_generator(generate, low, high)

    def _parse_bounds(self) -> tuple[int, int]:
        text = ""
        while not self._take("}"):
            text += self._next()
        first, comma, last = text.partition(",")
        if not first.isdecimal() or (last and not last.isdecimal()):
            raise UnsupportedPattern(self._pattern)
        low = int(first)
        return low, int(last) if last else low + (_OPEN_REPEATS if comma else 0)

    def _take(self, character: str) -> bool:
        if self._pattern[self._position : self._position + 1] != character:
            return False
        self._position += 1
        return True

    def _require(self, character: str) -> None:
        if not self._take(character):
            raise UnsupportedPattern(self._pattern)

    def _next(self) -> str:
        if self.is_at_end:
            raise UnsupportedPattern(self._pattern)
        self._position += 1
        return self._pattern[self._position - 1]


def _make_character_generator(characters: str) -> _TextGenerator:
    return lambda draws, salt: draws.choose(salt, characters)


def _make_sequence_generator(parts: list[_TextGenerator]) -> _TextGenerator:
    return lambda draws, salt: "".join(part(draws, salt + 31 * index) for index, part in enumerate(parts))


def _make_alternative_generator(branches: list[_TextGenerator]) -> _TextGenerator:
    return lambda draws, salt: draws.choose(salt, branches)(draws, salt + 1)


def _make_repeat_generator(generate: _TextGenerator, low: int, high: int) -> _TextGenerator:
    def generate_repeated(draws: KeyedDraws, salt: int) -> str:
        count = draws.draw_integer(salt + 7, low, high)
        return "".join(generate(draws, salt + 1009 * (index + 1)) for index in range(count))

    return generate_repeated


_MAX_LENGTH = 100_000
"""The longest text that is generated, in characters."""

_CONTAINERS = frozenset({dict, list})
_FORMATS: Mapping[str, ValueGenerator] = {
    "date": make_date_generator(()),
    "date-time": make_datetime_generator(()),
    "time": lambda draws, salt, _: f"{draws.draw_integer(salt, 7, 20):02d}:30:00",
    "duration": lambda draws, salt, _: f"PT{draws.draw_integer(salt, 1, 8)}H",
    "email": generate_email,
    "uri": generate_url,
    "url": generate_url,
    "uuid": generate_uuid,
    "ipv4": lambda draws, salt, _: f"192.0.2.{draws.draw_integer(salt, 1, 254)}",
    "ipv6": lambda draws, salt, _: f"2001:db8::{draws.draw_integer(salt, 1, 65_535):x}",
    "hostname": lambda draws, salt, _: f"host-{draws.draw_integer(salt, 1, 99)}.example.com",
}


class ResponseRun:
    """The state of generating one response."""

    __slots__ = ("draws", "inputs", "is_in_list", "used")

    def __init__(self, draws: KeyedDraws, inputs: CallInputs) -> None:
        self.draws = draws
        self.inputs = inputs
        self.is_in_list = False
        """Whether the value is inside an item of a list, which is not what the arguments identify."""
        self.used: dict[str, None] = {}
        """The arguments that the response took something from."""


ResponseGenerator: TypeAlias = Callable[[ResponseRun], Json]
"""Generates a value of a response."""


def copy_container(value: Json) -> Json:
    """Return a value that whoever gets the response may change."""
    return deepcopy(value) if type(value) in _CONTAINERS else value


def make_constant_generator(value: Json) -> ResponseGenerator:
    """Return a generator of always the same value."""
    return lambda run: copy_container(value)


def compile_choice(choices: Sequence[Json], path: tuple[str, ...]) -> ResponseGenerator:
    """Return a generator of one of the choices."""
    salt = make_salt(*path)
    return lambda run: copy_container(run.draws.choose(salt, choices))


def compile_flag(path: tuple[str, ...]) -> ResponseGenerator:
    """Return a generator of the usual value of a flag of this name, if there is one."""
    salt, usual = make_salt(*path), find_flag(path[-1])
    return make_constant_generator(usual) if usual is not None else lambda run: run.draws.draw_bits(salt) % 2 == 0


def compile_text(schema: dict[str, Any], path: tuple[str, ...], owner: str) -> ResponseGenerator:
    """Return a generator of texts for the name of its field, its format and its pattern.

    Raises:
        MockImpossible: No text can be made for the schema.
    """
    generate = _FORMATS.get(schema.get("format", "")) or find_text_generator(get_field_name(path), owner)
    if schema.get("format") in ("date", "date-time"):
        words = split_words(get_field_name(path))
        generate = make_date_generator(words) if schema["format"] == "date" else make_datetime_generator(words)
    salt, object_salt = make_salt(*path), make_salt(*path[:-1])
    low, high = schema.get("minLength", 0), schema.get("maxLength")
    if low > _MAX_LENGTH:
        raise MockImpossible(".".join(path[1:]), f"it has at least {low} characters, which is too long")
    pattern = schema.get("pattern")
    generate_match = _compile_match(pattern, path) if isinstance(pattern, str) else None

    if generate_match is None and not low and high is None:
        return lambda run: generate(run.draws, salt, object_salt)

    def generate_text(run: ResponseRun) -> str:
        text = str(generate(run.draws, salt, object_salt))
        if generate_match is not None and not is_match(str(pattern), text):
            text = generate_match(run.draws, salt)
        return text.ljust(low, "x")[:high]

    return generate_text


def _compile_match(pattern: str, path: tuple[str, ...]) -> Callable[[KeyedDraws, int], str]:
    try:
        generate = compile_pattern(pattern)
        example = generate(KeyedDraws(1), 1)
    except UnsupportedPattern:
        raise MockImpossible(".".join(path[1:]), f"no text can be made for the pattern {pattern!r}") from None
    if not is_match(pattern, example):
        raise MockImpossible(".".join(path[1:]), f"no text can be made for the pattern {pattern!r}")
    return generate


def compile_number(schema: dict[str, Any], path: tuple[str, ...], *, is_integer: bool) -> ResponseGenerator:
    """Return a generator of numbers for the name of its field, within its bounds."""
    generate = find_number_generator(get_field_name(path), is_integer=is_integer)
    salt, object_salt = make_salt(*path), make_salt(*path[:-1])
    low, high = _get_bounds(schema, is_integer=is_integer)
    factor = schema.get("multipleOf")
    if low is None and high is None and not factor:
        return lambda run: generate(run.draws, salt, object_salt)

    def generate_number(run: ResponseRun) -> float:
        value = generate(run.draws, salt, object_salt)
        if (low is not None and value < low) or (high is not None and value > high):
            value = _draw_between(run.draws, salt, low, high, is_integer=is_integer)
        if factor:
            value = _find_multiple(value, factor, low)
        return round(value) if is_integer else value

    return generate_number


def _get_bounds(schema: dict[str, Any], *, is_integer: bool) -> tuple[float | None, float | None]:
    step = 1 if is_integer else 0.01
    low, high = schema.get("minimum"), schema.get("maximum")
    if (exclusive := schema.get("exclusiveMinimum")) is not None:
        low = exclusive + step if low is None else max(low, exclusive + step)
    if (exclusive := schema.get("exclusiveMaximum")) is not None:
        high = exclusive - step if high is None else min(high, exclusive - step)
    return low, high


def _draw_between(draws: KeyedDraws, salt: int, low: float | None, high: float | None, *, is_integer: bool) -> float:
    start = low if low is not None else cast("float", high) - 100
    end = high if high is not None else start + 100
    if is_integer:
        return draws.draw_integer(salt, round(start), max(round(start), round(end)))
    return min(end, max(start, round(start + draws.draw_fraction(salt) * (end - start), 2)))


def _find_multiple(value: float, factor: float, low: float | None) -> float:
    multiple = value // factor * factor
    return multiple + factor if low is not None and multiple < low else multiple


def get_field_name(path: tuple[str, ...]) -> str:
    """Return the name of a field; an item of a list has the name of the list, in the singular."""
    name = path[-1]
    return to_singular(path[-2]) if name == "*" else name

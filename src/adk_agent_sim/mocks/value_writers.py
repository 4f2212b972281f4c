"""Writes the single values of a response: texts, numbers, flags, choices and constants, within what a schema allows."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import Any, TypeAlias, cast

from adk_agent_sim.errors import MockImpossible
from adk_agent_sim.forms.bounded_regex import is_match
from adk_agent_sim.mocks.call_inputs import CallInputs
from adk_agent_sim.mocks.field_values import (
    WriteValue,
    find_flag,
    find_number_writer,
    find_text_writer,
    write_date,
    write_datetime,
    write_email,
    write_url,
    write_uuid,
)
from adk_agent_sim.mocks.keyed_draws import KeyedDraws, make_salt
from adk_agent_sim.mocks.name_words import split_words, to_singular
from adk_agent_sim.mocks.pattern_text import UnsupportedPattern, compile_pattern
from adk_agent_sim.timeline.canonical_json import Json

_MAX_LENGTH = 100_000
"""The longest text that is written."""

_CONTAINERS = frozenset({dict, list})
_FORMATS: Mapping[str, WriteValue] = {
    "date": write_date(()),
    "date-time": write_datetime(()),
    "time": lambda draws, salt, _: f"{draws.draw_integer(salt, 7, 20):02d}:30:00",
    "duration": lambda draws, salt, _: f"PT{draws.draw_integer(salt, 1, 8)}H",
    "email": write_email,
    "uri": write_url,
    "url": write_url,
    "uuid": write_uuid,
    "ipv4": lambda draws, salt, _: f"192.0.2.{draws.draw_integer(salt, 1, 254)}",
    "ipv6": lambda draws, salt, _: f"2001:db8::{draws.draw_integer(salt, 1, 65_535):x}",
    "hostname": lambda draws, salt, _: f"host-{draws.draw_integer(salt, 1, 99)}.example.com",
}


class ResponseRun:
    """The writing of one response."""

    __slots__ = ("draws", "inputs", "is_in_list", "used")

    def __init__(self, draws: KeyedDraws, inputs: CallInputs) -> None:
        self.draws = draws
        self.inputs = inputs
        self.is_in_list = False
        """Whether the value is inside an item of a list, which is not what the arguments identify."""
        self.used: dict[str, None] = {}
        """The arguments that the response took something from."""


WriteResponse: TypeAlias = Callable[[ResponseRun], Json]
"""Writes a value of a response."""


def copy_container(value: Json) -> Json:
    """Return a value that whoever gets the response may change."""
    return deepcopy(value) if type(value) in _CONTAINERS else value


def write_constant(value: Json) -> WriteResponse:
    """Write the same value always."""
    return lambda run: copy_container(value)


def compile_choice(choices: Sequence[Json], path: tuple[str, ...]) -> WriteResponse:
    """Write one of the choices."""
    salt = make_salt(*path)
    return lambda run: copy_container(run.draws.choose(salt, choices))


def compile_flag(path: tuple[str, ...]) -> WriteResponse:
    """Write the usual value of a flag of this name, if there is one."""
    salt, usual = make_salt(*path), find_flag(path[-1])
    return write_constant(usual) if usual is not None else lambda run: run.draws.draw_bits(salt) % 2 == 0


def compile_text(schema: dict[str, Any], path: tuple[str, ...], owner: str) -> WriteResponse:
    """Write a text for the name of its field, its format and its pattern.

    Raises:
        MockImpossible: No text can be made for the schema.
    """
    write = _FORMATS.get(schema.get("format", "")) or find_text_writer(get_field_name(path), owner)
    if schema.get("format") in ("date", "date-time"):
        words = split_words(get_field_name(path))
        write = write_date(words) if schema["format"] == "date" else write_datetime(words)
    salt, around = make_salt(*path), make_salt(*path[:-1])
    low, high = schema.get("minLength", 0), schema.get("maxLength")
    if low > _MAX_LENGTH:
        raise MockImpossible(".".join(path[1:]), f"it has at least {low} characters, which is too long")
    pattern = schema.get("pattern")
    write_match = _compile_match(pattern, path) if isinstance(pattern, str) else None

    if write_match is None and not low and high is None:
        return lambda run: write(run.draws, salt, around)

    def write_text(run: ResponseRun) -> str:
        text = str(write(run.draws, salt, around))
        if write_match is not None and not is_match(str(pattern), text):
            text = write_match(run.draws, salt)
        return text.ljust(low, "x")[:high]

    return write_text


def _compile_match(pattern: str, path: tuple[str, ...]) -> Callable[[KeyedDraws, int], str]:
    try:
        write = compile_pattern(pattern)
        example = write(KeyedDraws(1), 1)
    except UnsupportedPattern:
        raise MockImpossible(".".join(path[1:]), f"no text can be made for the pattern {pattern!r}") from None
    if not is_match(pattern, example):
        raise MockImpossible(".".join(path[1:]), f"no text can be made for the pattern {pattern!r}")
    return write


def compile_number(schema: dict[str, Any], path: tuple[str, ...], *, is_integer: bool) -> WriteResponse:
    """Write a number for the name of its field, within its bounds."""
    write = find_number_writer(get_field_name(path), is_integer=is_integer)
    salt, around = make_salt(*path), make_salt(*path[:-1])
    low, high = _get_bounds(schema, is_integer=is_integer)
    factor = schema.get("multipleOf")
    if low is None and high is None and not factor:
        return lambda run: write(run.draws, salt, around)

    def write_number(run: ResponseRun) -> float:
        value = write(run.draws, salt, around)
        if (low is not None and value < low) or (high is not None and value > high):
            value = _draw_between(run.draws, salt, low, high, is_integer=is_integer)
        if factor:
            value = _find_multiple(value, factor, low)
        return round(value) if is_integer else value

    return write_number


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

"""Generates a text that matches a regular expression, for the usual ones: ids, codes and numbers.

It knows literals, classes, groups, alternatives and counts. Look-arounds, back-references and the like are not
supported; the caller checks the text against the pattern anyway.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from adk_agent_sim.mocks.keyed_draws import KeyedDraws

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

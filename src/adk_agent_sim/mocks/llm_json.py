"""Reads the JSON object in an answer of a model, and keeps what the timeline records about the answers to one call.

    ```json {"a": 1,} ``` and prose --> {"a": 1}

It is read strictly, bounded, and past what models like to put around it. Repaired are fences, prose before and after,
and a comma before a closing bracket. Anything else is no JSON: nothing is guessed, and nothing is evaluated.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import cast

from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.strict_json import MAX_DEPTH, InvalidJson, parse_json

MAX_ANSWER_CHARACTERS = 200_000
"""How long an answer may be."""

_MAX_CANDIDATES = 10
"""How many places of an answer may be where its object begins."""

_CLOSING = {"{": "}", "[": "]"}


class UnusableAnswer(ValueError):
    """An answer of a model cannot be used; the message says why, for the model and for people."""


def read_answer_object(text: str) -> dict[str, Json]:
    """Return the JSON object in an answer.

    Raises:
        UnusableAnswer: There is none, the answer is too long, or the object is not strict JSON.
    """
    if len(text) > MAX_ANSWER_CHARACTERS:
        raise UnusableAnswer(f"the answer is longer than {MAX_ANSWER_CHARACTERS:,} characters")
    if not text.strip():
        raise UnusableAnswer("the answer is empty")
    problem = "the answer has no JSON object"
    for candidate in _iter_candidates(text):
        try:
            value = parse_json(candidate, max_depth=MAX_DEPTH)
        except InvalidJson as error:
            problem = f"the answer is not JSON that can be read: {error.reason}"
            continue
        if isinstance(value, dict):
            return cast("dict[str, Json]", value)
        problem = "the answer must be a JSON object"
    raise UnusableAnswer(problem)


def _iter_candidates(text: str) -> Iterator[str]:
    """Yield the texts that may be the object: the whole answer, and then each outermost pair of brackets in it."""
    if not any(opening in text for opening in _CLOSING):
        return
    yield text
    position = 0
    for _ in range(_MAX_CANDIDATES):
        starts = [found for opening in _CLOSING if (found := text.find(opening, position)) >= 0]
        if not starts:
            return
        candidate, position = _cut_value(text, min(starts))
        if candidate:
            yield candidate


def _cut_value(text: str, start: int) -> tuple[str, int]:
    """Return the object or list that begins at a place, without commas before its brackets, and where it ends.

    Returns:
        An empty text if its brackets are not closed.
    """
    expected: list[str] = []
    kept: list[str] = []
    position = start
    while position < len(text):
        character = text[position]
        if character == '"':
            end = _find_string_end(text, position)
            kept.append(text[position:end])
            position = end
            continue
        if character in _CLOSING:
            expected.append(_CLOSING[character])
        elif character in "]}":
            if character != expected.pop():
                return "", position
            _drop_trailing_comma(kept)
        kept.append(character)
        position += 1
        if not expected:
            return "".join(kept), position
    return "", position


def _find_string_end(text: str, start: int) -> int:
    position = start + 1
    while position < len(text) and text[position] != '"':
        position += 2 if text[position] == "\\" else 1
    return position + 1


def _drop_trailing_comma(kept: list[str]) -> None:
    place = len(kept) - 1
    while place >= 0 and kept[place].isspace():
        place -= 1
    if place >= 0 and kept[place] == ",":
        del kept[place]


_MAX_RECORDED_CHARACTERS = 20_000
"""How much of an answer is recorded."""


@dataclass(slots=True)
class AskedQuestion:
    """A question to the model."""

    about: str
    key: str
    answer: str = ""
    source: str = ""

    problem: str = ""
    """Why the answer was not used; empty if it was."""

    def set_reply(self, text: str, source: str) -> None:
        """Record the answer."""
        cut = len(text) > _MAX_RECORDED_CHARACTERS
        self.answer = text[:_MAX_RECORDED_CHARACTERS] + ("…" if cut else "")
        self.source = source

    def to_json(self) -> dict[str, Json]:
        """Return it for the timeline."""
        named = {"about": self.about, "key": self.key, "source": self.source, "answer": self.answer}
        return {name: value for name, value in {**named, "problem": self.problem}.items() if value}


@dataclass(slots=True)
class MockJournal:
    """What happened in one call; it is filled while the call runs, and recorded also if the call is cancelled."""

    model: str

    connections: list[str] = field(default_factory=list[str])
    """What the tool does, by the analysis."""

    reason: str = ""
    """Why the response is as it is."""

    error: str = ""
    """Why there is none."""

    asked: list[AskedQuestion] = field(default_factory=list[AskedQuestion])

    def begin(self, about: str, key: str) -> AskedQuestion:
        """Add a question that is about to be asked."""
        self.asked.append(AskedQuestion(about, key))
        return self.asked[-1]

    def to_json(self) -> dict[str, Json]:
        """Return it for the timeline."""
        return {
            "mock": "llm",
            "model": self.model,
            "connections": self.connections,
            "reason": self.reason,
            "error": self.error,
            "asked": [each.to_json() for each in self.asked],
        }

    def describe(self) -> str:
        """Return it in one line."""
        asked = ", ".join(f"{each.about} {each.key}" for each in self.asked)
        return f"asked {asked or 'nothing'}; {self.error or self.reason or 'no response yet'}"

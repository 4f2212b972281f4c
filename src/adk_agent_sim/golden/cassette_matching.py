"""Compares a model request with the one in a cassette, and says in words what differs.

Everything must be equal, except what changes from run to run by itself: a random id (UUID) where another was recorded,
the current date or time where any was recorded, and what redaction has masked. Parallel agents finish in any order, so
what ADK tells an agent about the others ("For context:") may be in any order.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import cast

from adk_agent_sim.golden.cassette import CassetteBlock, CassetteRequest
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.framework_calls import OTHER_AGENT_PREFIX
from adk_agent_sim.timeline.redaction.redactor import MASK
from adk_agent_sim.timeline.strict_json import dump_json

UUID_PATTERN = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
_DATE = r"\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:?\d\d)?)?"
_VARIABLE = re.compile(rf"(?P<uuid>{UUID_PATTERN.pattern})|(?P<date>(?<!\d){_DATE}(?!\d))|(?P<mask>{re.escape(MASK)})")
_WORD_END = re.compile(r"\s")

_NOW_SECONDS = 86_400
"""How far from now a date or time may be to be the current one: no text says for sure which time zone it is in."""

# In seconds since 1970: numbers from September 2001 to November 2286 may be times.
_EARLIEST_TIME = 1_000_000_000
_LATEST_TIME = 10_000_000_000

_WORDS = re.compile(r"\w+(?:\.\d+)?|\s+|[^\w\s]")
_CONTEXT_WORDS = 10
_MAX_DIFF_WORDS = 400
_MAX_DIFF_LENGTH = 400
_MAX_BLOCKS = 3


@dataclass(frozen=True, kw_only=True)
class RequestDifference:
    """A part of a request that is not as recorded."""

    block: str
    """Which part: `the instruction`, `tool 'add'`, `content 3 (...)`, `the setting 'temperature'`."""

    change: str
    """The words that changed, with those around them: `Be [-polite-]{+brief+}.`"""

    def __str__(self) -> str:
        return f"{self.block}: {self.change}"


class RequestMatcher:
    """Compares requests at a moment in time."""

    def __init__(self, now: float, known_uuids: Mapping[str, str] | None = None) -> None:
        """Compare one request.

        Args:
            now: The current time, in seconds since the Unix epoch.
            known_uuids: What the session has in place of recorded UUIDs, as far as it is known already.
        """
        self.uuids = dict(known_uuids or {})
        """What the session has in place of recorded UUIDs, each of which must be the same everywhere."""
        self._now = now

    def find_differences(self, recorded: CassetteRequest, found: CassetteRequest) -> list[RequestDifference]:
        """Return what differs; empty if the recorded answer is one to this request."""
        return [
            *self._compare_instructions(recorded.instruction, found.instruction),
            *self._compare_tools(recorded.tools.value, found.tools.value),
            *self._compare_settings(recorded.config.value, found.config.value),
            *self._compare_contents(recorded.contents, found.contents),
        ]

    def is_match(self, recorded: Json, found: Json) -> bool:
        """Return whether two values are the same, except for what changes by itself."""
        if isinstance(recorded, str) and isinstance(found, str):
            return recorded == found or self._is_text_match(recorded, found)
        if isinstance(recorded, Mapping) and isinstance(found, Mapping):
            before, now = cast("Mapping[str, Json]", recorded), cast("Mapping[str, Json]", found)
            return before.keys() == now.keys() and all(self.is_match(before[key], now[key]) for key in before)
        if isinstance(recorded, list) and isinstance(found, list):
            items, others = cast("list[Json]", recorded), cast("list[Json]", found)
            return len(items) == len(others) and all(map(self.is_match, items, others))
        if isinstance(recorded, int | float) and type(recorded) is type(found):
            is_time = _EARLIEST_TIME < recorded < _LATEST_TIME
            return recorded == found or (is_time and self._is_now(cast("float", found)))
        # Values of two types differ: Python finds True, 1 and 1.0 equal, a model may not. Only null can be equal here.
        return recorded == MASK or (recorded is None and found is None)

    def _is_text_match(self, recorded: str, found: str) -> bool:
        """Compare two texts piece by piece, each of which is read once."""
        position, end = 0, 0
        is_open = False
        for variable in _VARIABLE.finditer(recorded):
            start = _find_literal(found, position, recorded[end : variable.start()], is_open=is_open)
            if start is None:
                return False
            position, end, is_open = start, variable.end(), variable.lastgroup == "mask"
            if not is_open:
                same = _VARIABLE.match(found, position)
                if same is None or not self._is_same_kind(variable, same):
                    return False
                position = same.end()
        rest = recorded[end:]
        if not is_open:
            return found[position:] == rest
        masked = found[position : len(found) - len(rest)]
        return bool(masked) and found.endswith(rest) and (not _WORD_END.search(masked))

    def _is_same_kind(self, recorded: re.Match[str], found: re.Match[str]) -> bool:
        if recorded[0] == found[0]:
            return True
        if recorded.lastgroup != found.lastgroup:
            return False
        if recorded.lastgroup == "uuid":
            return self.uuids.setdefault(recorded[0], found[0]) == found[0]
        return recorded.lastgroup == "date" and self._is_current_date(found[0])

    def _is_current_date(self, text: str) -> bool:
        try:
            moment = datetime.fromisoformat(text)
        except ValueError:
            return False
        if moment.tzinfo is None:
            moment = moment.replace(tzinfo=UTC)
        return self._is_now(moment.timestamp())

    def _is_now(self, seconds: float) -> bool:
        return abs(seconds - self._now) <= _NOW_SECONDS

    def _compare_instructions(self, recorded: CassetteBlock, found: CassetteBlock) -> Iterator[RequestDifference]:
        if recorded != found and not self.is_match(recorded.value, found.value):
            yield _describe("the instruction", recorded.value, found.value)

    def _compare_tools(self, recorded: Sequence[Json], found: Sequence[Json]) -> Iterator[RequestDifference]:
        before, now = _name_tools(recorded), _name_tools(found)
        for name in dict.fromkeys([*before, *now]):
            if name not in now:
                yield RequestDifference(block=f"tool {name!r}", change="it was offered, and is not offered now")
            elif name not in before:
                yield RequestDifference(block=f"tool {name!r}", change="it is offered, and was not offered before")
            elif not self.is_match(before[name], now[name]):
                yield _describe(f"tool {name!r}", before[name], now[name])
        if before.keys() == now.keys() and list(before) != list(now):
            yield _describe("the order of the tools", ", ".join(before), ", ".join(now))

    def _compare_settings(self, recorded: Mapping[str, Json], found: Mapping[str, Json]) -> Iterator[RequestDifference]:
        for name in dict.fromkeys([*recorded, *found]):
            if not self.is_match(recorded.get(name), found.get(name)):
                yield _describe(f"the setting {name!r}", recorded.get(name), found.get(name))

    def _compare_contents(
        self, recorded: Sequence[CassetteBlock], found: Sequence[CassetteBlock]
    ) -> Iterator[RequestDifference]:
        if recorded == found:
            return
        for arrange in (list[CassetteBlock], _sort_context) if len(recorded) == len(found) else ():
            # A matcher for each attempt, because one that fails has learned UUIDs that are wrong.
            matcher = RequestMatcher(self._now, self.uuids)
            if matcher.has_same_contents(arrange(recorded), arrange(found)):
                self.uuids = matcher.uuids
                return
        for place, (before, now) in enumerate(zip_longest(recorded, found), start=1):
            if before is None:
                yield _describe_single(place, "it was not there before", now.value)
            elif now is None:
                yield _describe_single(place, "it was there, and is missing now", before.value)
            elif before != now and not self.is_match(before.value, now.value):
                yield _describe(f"content {place} ({_describe_content(now.value)})", before.value, now.value)

    def has_same_contents(self, recorded: Sequence[CassetteBlock], found: Sequence[CassetteBlock]) -> bool:
        """Return whether two conversations of the same length are the same, in this order."""
        return all(
            before == now or self.is_match(before.value, now.value) for before, now in zip(recorded, found, strict=True)
        )


def summarize_differences(differences: Sequence[RequestDifference]) -> str:
    """Return the first differences as one line."""
    listed = "; ".join(map(str, differences[:_MAX_BLOCKS]))
    more = len(differences) - _MAX_BLOCKS
    return f"{listed}; and {more} more" if more > 0 else listed


def compare_words(recorded: str, found: str) -> str:
    """Return the words that changed, with a few around them: `Be [-polite-]{+brief+}.`"""
    before, now = _WORDS.findall(recorded), _WORDS.findall(found)
    start = _count_common(before, now)
    end = _count_common(before[start:][::-1], now[start:][::-1])
    lead, tail = before[max(0, start - _CONTEXT_WORDS) : start], before[len(before) - end :][:_CONTEXT_WORDS]
    old, new = before[start : len(before) - end], now[start : len(now) - end]
    parts = ["…" if start > _CONTEXT_WORDS else "", *lead]
    if max(len(old), len(new)) > _MAX_DIFF_WORDS:
        parts += _mark(old, new)
    else:
        for kind, a, b, c, d in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
            parts += _abbreviate(old[a:b]) if kind == "equal" else _mark(old[a:b], new[c:d])
    return _shorten(" ".join("".join([*parts, *tail, "…" if end > _CONTEXT_WORDS else ""]).split()))


def _mark(old: Sequence[str], new: Sequence[str]) -> list[str]:
    # What changed may be only a line break.
    removed, added = ("".join(words).replace("\n", "↵") for words in (old, new))
    half = _MAX_DIFF_LENGTH // 3
    return [
        f"[-{_shorten(removed, half)}-]" if removed else "",
        f"{{+{_shorten(added, half)}+}}" if added else "",
    ]


def _abbreviate(words: Sequence[str]) -> Sequence[str]:
    if len(words) <= 2 * _CONTEXT_WORDS:
        return words
    return [*words[:_CONTEXT_WORDS], "…", *words[-_CONTEXT_WORDS:]]


def _shorten(text: str, length: int = _MAX_DIFF_LENGTH) -> str:
    return text if len(text) <= length else f"{text[:length]}…"


def _count_common(left: Sequence[str], right: Sequence[str]) -> int:
    count = 0
    for one, other in zip(left, right, strict=False):
        if one != other:
            break
        count += 1
    return count


def _find_literal(text: str, position: int, literal: str, *, is_open: bool) -> int | None:
    """Return where a text continues after a literal; None if it is not there.

    Args:
        text: The text.
        position: Where the literal is expected.
        literal: What must be there.
        is_open: Whether a masked value of at least one character, without spaces, comes before it.
    """
    if not is_open:
        return position + len(literal) if text.startswith(literal, position) else None
    start = text.find(literal, position + 1)
    if start < 0 or _WORD_END.search(text, position, start):
        return None
    return start + len(literal)


def _describe(block: str, recorded: Json, found: Json) -> RequestDifference:
    return RequestDifference(block=block, change=compare_words(_to_text(recorded), _to_text(found)))


def _describe_single(place: int, change: str, content: Mapping[str, Json]) -> RequestDifference:
    block = f"content {place} ({_describe_content(content)})"
    return RequestDifference(block=block, change=f"{change}: {_shorten(_to_text(content))}")


def _to_text(value: Json) -> str:
    """Return a value as text: that of a content which is only text, otherwise JSON."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        parts: Sequence[Mapping[str, Json]] = cast("Mapping[str, Json]", value).get("parts") or ()
        if parts and all(set(part) == {"text"} for part in parts):
            return "".join(part["text"] for part in parts)
    return dump_json(value)


def _describe_content(content: Mapping[str, Json]) -> str:
    """Return what a content is: `user message`, `answer of the model`, `response of tool 'add'`."""
    parts: Sequence[Mapping[str, Json]] = content.get("parts") or ()
    for part in parts:
        if response := part.get("function_response"):
            return f"response of tool {response.get('name')!r}"
        if call := part.get("function_call"):
            return f"call of tool {call.get('name')!r}"
    if _is_context(content):
        return "what another agent did"
    return "answer of the model" if content.get("role") == "model" else "user message"


def _is_context(content: Mapping[str, Json]) -> bool:
    parts: Sequence[Mapping[str, Json]] = content.get("parts") or ()
    return bool(parts) and (parts[0].get("text") or "").startswith(OTHER_AGENT_PREFIX)


def _sort_context(contents: Sequence[CassetteBlock]) -> list[CassetteBlock]:
    """Return the contents with each series of contents about other agents sorted."""
    arranged: list[CassetteBlock] = []
    series: list[CassetteBlock] = []
    for block in contents:
        if _is_context(block.value):
            series.append(block)
            continue
        arranged += [*sorted(series, key=lambda each: dump_json(each.value)), block]
        series = []
    return arranged + sorted(series, key=lambda each: dump_json(each.value))


def _name_tools(tools: Sequence[Json]) -> dict[str, Json]:
    named: dict[str, Json] = {}
    for tool in tools:
        kind = next(iter(tool), "")
        named[tool[kind].get("name") or kind if kind == "function" else kind] = tool
    return named

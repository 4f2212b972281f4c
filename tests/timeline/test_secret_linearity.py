"""Redaction reads any text in linear time: by the form of its patterns, and by counting its work."""

import re
import sys
from collections.abc import Callable, Iterator
from re import _parser as parser  # type: ignore[attr-defined] - the only way to see the parts of a pattern
from types import FrameType
from typing import Any

import pytest

from adk_agent_sim.timeline.redaction import known_secrets, named_values, secret_values
from adk_agent_sim.timeline.redaction.redactor import SECRET_PATTERNS, Redactor

_UNBOUNDED = 2**31
_MAX_REPEAT = 16_384
_MAX_WIDTH = 4_096
"""How many characters a pattern reads at most from one start, before its unbounded end."""


def _all_patterns() -> Iterator[tuple[str, re.Pattern[str]]]:
    for row in SECRET_PATTERNS:
        yield row.label, row.regex
    for module in (named_values, secret_values):
        for name, value in vars(module).items():
            if isinstance(value, re.Pattern):
                yield name, value


def _iter_parts(items: Any) -> Iterator[tuple[str, Any, bool]]:
    """Yield the operations of a parsed pattern, each with whether nothing follows it."""
    listed = list(items)
    for place, (operation, argument) in enumerate(listed):
        is_last = place == len(listed) - 1
        name = str(operation)
        yield name, argument, is_last
        match name:
            case "SUBPATTERN":
                inner = [argument[3]]
            case "BRANCH":
                inner = argument[1]
            case "MAX_REPEAT" | "MIN_REPEAT" | "POSSESSIVE_REPEAT":
                inner = [argument[2]]
            case "ATOMIC_GROUP":
                inner = [argument]
            case "ASSERT" | "ASSERT_NOT":
                inner = [argument[1]]
            case _:
                inner = []
        for part in inner:
            for name_inside, argument_inside, is_last_inside in _iter_parts(part):
                yield name_inside, argument_inside, is_last and is_last_inside


def _parse_pattern(regex: re.Pattern[str]) -> Any:
    return parser.parse(regex.pattern, regex.flags & ~re.UNICODE)  # pyright: ignore


@pytest.mark.parametrize(("label", "regex"), [pytest.param(*row, id=row[0][:40]) for row in _all_patterns()])
def test_no_pattern_can_backtrack(label: str, regex: re.Pattern[str]) -> None:
    """What repeats never gives characters back, and only the end of a pattern, which cannot fail, is unbounded."""
    for name, argument, is_last in _iter_parts(_parse_pattern(regex)):
        if name == "MIN_REPEAT":
            pytest.fail(f"{label}: a lazy repetition")
        if name not in ("MAX_REPEAT", "POSSESSIVE_REPEAT"):
            continue
        low, high, _ = argument
        is_unbounded = int(high) >= _UNBOUNDED
        assert not is_unbounded or is_last, f"{label}: unbounded, and something can fail after it"
        assert is_unbounded or int(high) <= _MAX_REPEAT, label
        # An optional part, a fixed count and a short run have a constant number of ways to match.
        is_small = int(high) == low or int(high) <= 32
        assert name == "POSSESSIVE_REPEAT" or is_small or is_last, f"{label}: a repetition that gives back: {argument}"


_ADVERSARIAL: dict[str, Callable[[int], str]] = {
    "letters": lambda n: "a" * n,
    "names": lambda n: "a-" * (n // 2),
    "secret names": lambda n: "password" * (n // 8),
    "assignments": lambda n: "password=" * (n // 9),
    "open quotes": lambda n: 'password="' * (n // 10),
    "open quotes on lines": lambda n: "password='x\n" * (n // 12),
    "escaped quotes": lambda n: 'password=\\"\\\\\\"' * (n // 14),
    "spaces": lambda n: "password" + " " * n + "=",
    "spaces between names": lambda n: ("password" + " " * 40) * (n // 48),
    "lines": lambda n: "password\n" * (n // 9),
    "headers of keys": lambda n: ("-----BEGIN RSA PRIVATE " + "KEY-----") * (n // 31),
    "starts of tokens": lambda n: "eyJ" * (n // 3),
    "dots": lambda n: "eyJaaaaaaaaaaa." * (n // 15),
    "urls": lambda n: "a://b:c" * (n // 7),
    "ats": lambda n: "://a:" + "@" * n,
    "ats with text": lambda n: "://a:b" + "@c" * (n // 2),
    "mysql": lambda n: "mysql a b c " * (n // 12),
    "slack": lambda n: "xoxb-" + "1-" * (n // 2),
    "elements": lambda n: "<password>" * (n // 10),
    "entries": lambda n: 'name: "password", ' * (n // 18),
    "brackets": lambda n: "[" * n,
    "objects": lambda n: '{"password":' * (n // 12),
    "blocks": lambda n: "secret: |\n  x\n" * (n // 14),
    "masks": lambda n: "[redacted]" * (n // 10),
    "known values": lambda n: "aaaaaa" * (n // 6),
    "near known values": lambda n: ("a" * 40 + "b") * (n // 41),
}


def _count_lines(action: Callable[[], object]) -> int:
    """Return how many lines of this package's redaction ran."""
    count = 0

    def trace(frame: FrameType, event: str, _argument: object) -> Any:
        nonlocal count
        if "adk_agent_sim" not in frame.f_code.co_filename:
            return None
        if event == "line":
            count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        action()
    finally:
        sys.settrace(before)
    return count


@pytest.mark.parametrize("name", _ADVERSARIAL)
def test_twice_the_text_is_at_most_twice_the_work(name: str) -> None:
    redactor = Redactor({"A_KEY": "a" * 200 + "!", "B_KEY": "ab" * 3_000})
    small, large = 6_000, 12_000
    build = _ADVERSARIAL[name]

    counts = [_count_lines(lambda size=size: redactor.redact_text(build(size))) for size in (small, large)]

    assert counts[1] <= 2.3 * counts[0] + 2_000, counts


def test_many_known_values_cost_no_more_than_few() -> None:
    """The number of secrets of a session must not multiply with the length of its texts."""
    text = "the quick brown fox jumps over the lazy dog 0123456789 " * 100
    counts: list[int] = []
    for size in (100, 1_000):
        known = known_secrets.KnownSecrets()
        for number in range(size):
            known.add(f"s3cr3t-{number:06d}-value")
        list(known.find_spans("warm up"))
        counts.append(_count_lines(lambda known=known: list(known.find_spans(text))))

    assert counts[1] <= 2 * counts[0] + 100, counts

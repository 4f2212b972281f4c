"""Matches texts against untrusted regular expressions in bounded time.

Python's `re` can take hours for a pattern such as `(a+)+$` and thirty characters, and cannot be interrupted.
pydantic's engine is an automaton without backtracking, and the one that checks a tool's own `Field(pattern=...)`.
Its worst case is the automaton's size times the text's length, so both are estimated before matching.
"""

from __future__ import annotations

import re
import warnings
from functools import lru_cache

from pydantic_core import SchemaError, SchemaValidator, ValidationError, core_schema

_MAX_STATES = 50_000
"""The largest automaton that is built; building it takes about 0.1 s."""

_MAX_STEPS = 2_000_000
"""The most steps of one match: about 0.1 s for the worst known patterns, microseconds for usual ones."""

_MAX_LOOK_AROUND_LENGTH = 200
_MAX_PATTERN_LENGTH = 10_000
_MAX_CLASSES_OF_IGNORED_CASE = 20
"""Python expands each class such as `[a-z]` character by character if case is ignored, which takes up to 30 ms."""

_IGNORED_CASE = re.compile(r"\(\?[a-zA-Z]*i")
_UNBOUNDED = 10**12
_LOOK_AROUND = re.compile(r"\(\?<?[=!]")
_REPEATED_GROUP = re.compile(r"\)[*+?{]")
_WIDE_CLASS = re.compile(r"\\[wWdDsSpP]|\[\^|\.")
_COUNT = re.compile(r"\{(\d{1,9})?,?(\d{1,9})?\}")
_VERBOSE = re.compile(r"\(\?[a-zA-Z]*x")
"""Verbose patterns may contain spaces and comments anywhere, so the estimates below would not recognize repetitions."""


def check_syntax(pattern: str) -> None:
    """Check that a text is a regular expression, in bounded time.

    Raises:
        ValueError: It is not, or it is too complex to be compiled.
    """
    if len(pattern) > _MAX_PATTERN_LENGTH or (
        _IGNORED_CASE.search(pattern) and pattern.count("[") > _MAX_CLASSES_OF_IGNORED_CASE
    ):
        raise ValueError("the pattern is too long or too complex; write a simpler one")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            re.compile(pattern)
    except (re.error, OverflowError) as error:
        raise ValueError(str(error)) from None
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def is_match(pattern: str, text: str, *, if_unchecked: bool = True) -> bool:
    """Whether `text` contains a match of `pattern`.

    Args:
        pattern: The regular expression.
        text: The text.
        if_unchecked: The result if the match is not tried, because the pattern is invalid or could take too long.
    """
    if not can_search(pattern, text):
        return if_unchecked
    expression = _compile_python(pattern) if _LOOK_AROUND.search(pattern) else _compile_automaton(pattern)
    if expression is None:
        return if_unchecked
    if isinstance(expression, re.Pattern):
        return expression.search(text) is not None
    try:
        expression.validate_python(text)
    except ValidationError as error:
        # Any other error means that nothing was matched: pydantic rejects texts with lone surrogates before that.
        mismatch = error.errors(include_url=False)[0]["type"] == "string_pattern_mismatch"
        return False if mismatch else if_unchecked
    return True


def can_search(pattern: str, text: str) -> bool:
    """Whether a match of `pattern` in `text` is tried at all: not if the text is too long for the pattern."""
    return estimate_steps(pattern, text) <= _MAX_STEPS


def estimate_steps(pattern: str, text: str) -> int:
    """Return an upper bound of the steps of a match."""
    if _LOOK_AROUND.search(pattern):
        return _estimate_backtracking_steps(pattern, text)
    return estimate_states(pattern) * (len(text) + 10)


def _estimate_backtracking_steps(pattern: str, text: str) -> int:
    """Return an upper bound for Python's engine, which look-around needs (pydantic itself generates such patterns).

    Without repeated groups, each repetition is tried at most once per length, and each alternative once per side.
    """
    uncountable = _REPEATED_GROUP.search(pattern) or _VERBOSE.search(pattern)
    if uncountable or max(len(pattern), len(text)) > _MAX_LOOK_AROUND_LENGTH:
        return _UNBOUNDED
    starts = 0 if pattern.startswith("^") and "|" not in pattern else 1
    repetitions = starts + sum(map(pattern.count, "*+{"))
    choices = pattern.count("|") + pattern.count("?") - pattern.count("(?")
    return min((len(text) + 1) ** repetitions * 2**choices, _UNBOUNDED)


@lru_cache(maxsize=1_024)
def estimate_states(pattern: str) -> int:
    """Return an estimate of the automaton's states: counted repetitions multiply what they repeat."""
    if _VERBOSE.search(pattern):
        return _UNBOUNDED
    flat, nested = 1, 1
    for match in _COUNT.finditer(pattern):
        count = max(int(match[1] or 1), int(match[2] or 1))
        # After a group or another repetition a count multiplies what may be repeated itself; elsewhere it adds.
        if pattern[match.start() - 1] in ")}?*+":
            nested *= count
        else:
            flat += count
    return min((len(pattern) + 20 * len(_WIDE_CLASS.findall(pattern))) * flat * nested, _UNBOUNDED)


@lru_cache(maxsize=1_024)
def _compile_python(pattern: str) -> re.Pattern[str] | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # the pattern is the tool author's; the user cannot act on its warnings
            return re.compile(pattern)
    except (re.error, OverflowError, RecursionError):
        return None


@lru_cache(maxsize=1_024)
def _compile_automaton(pattern: str) -> SchemaValidator | None:
    if estimate_states(pattern) > _MAX_STATES:
        return None
    try:
        return SchemaValidator(core_schema.str_schema(pattern=pattern))
    except (SchemaError, UnicodeError):
        return None

"""Deterministic checkers of arguments: whether the agent's value counts as the expected one.

A checker never raises: values that it cannot compare, such as a date that is none, only count if they are equal.
"""

from __future__ import annotations

import posixpath
import string
import unicodedata
from collections.abc import Callable, Collection, Iterable, Mapping
from datetime import datetime
from typing import Any, Final, TypeAlias, cast

Checker: TypeAlias = Callable[[Any, Any, Collection[str]], bool]
"""Takes the agent's value, the expected value and the checker's texts; returns whether the values count as the same."""

_DATE_FORMAT = "%Y-%m-%d %H:%M:%S"
_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def normalize_text(value: object) -> str:
    """Return a value as text without case, accents, punctuation and surrounding space."""
    text = str(value).lower()
    if not text.isascii():
        text = "".join(each for each in unicodedata.normalize("NFD", text) if unicodedata.category(each) != "Mn")
    return text.translate(_NO_PUNCTUATION).strip()


def passes_checker(checker: str, got: Any, expected: Any, texts: Collection[str] = ()) -> bool:
    """Return whether the agent's value counts as the expected one.

    Args:
        checker: A name of `CHECKERS`.
        got: The agent's value.
        expected: The expected value.
        texts: The user's name for `attendees`, the wanted texts for `contains_any` and `contains_all`.
    """
    try:
        return CHECKERS[checker](got, expected, texts)
    except (TypeError, ValueError, AttributeError):
        # These two compare with their texts and not with the expected value, so being equal to it does not count.
        return got == expected and checker not in ("contains_any", "contains_all")


def _are_equal(got: Any, expected: Any, texts: Collection[str]) -> bool:
    return got == expected


def _are_unordered_equal(got: Any, expected: Any, texts: Collection[str]) -> bool:
    if got is None or expected is None:
        return not len(got or ()) and not len(expected or ())
    # Sets, as in ARE: how often an item is repeated does not count.
    return set(got) == set(expected)


def _are_same_path(got: Any, expected: Any, texts: Collection[str]) -> bool:
    if got is None or expected is None:
        return got == expected
    return normalize_path(got) == normalize_path(expected)


def _are_same_paths(got: Any, expected: Any, texts: Collection[str]) -> bool:
    if got is None or expected is None:
        return not len(got or ()) and not len(expected or ())
    return set(map(normalize_path, got)) == set(map(normalize_path, expected))


def _are_same_time(got: Any, expected: Any, texts: Collection[str]) -> bool:
    if got is None or expected is None or got == expected:
        return got == expected
    return parse_time(got) == parse_time(expected)


def _are_same_number(got: Any, expected: Any, texts: Collection[str]) -> bool:
    if got is None or expected is None:
        return got is None and expected is None
    return keep_digits(got) == keep_digits(expected)


def _are_equal_stripped(got: Any, expected: Any, texts: Collection[str]) -> bool:
    return (got.strip() if got else "") == (expected.strip() if expected else "")


def _are_same_attendees(got: Any, expected: Any, texts: Collection[str]) -> bool:
    """Compare names. The user's own name does not count; if nobody else is expected, anybody may attend."""
    tolerated = set(map(normalize_text, texts))
    wanted = _normalize_names(expected or ()) - tolerated
    return not wanted or _normalize_names(got or ()) - tolerated == wanted


def _contains_any(got: Any, expected: Any, texts: Collection[str]) -> bool:
    return any(each.lower() in got.lower() for each in texts)


def _contains_all(got: Any, expected: Any, texts: Collection[str]) -> bool:
    return all(each.lower() in got.lower() for each in texts)


def _contains_expected(got: Any, expected: Any, texts: Collection[str]) -> bool:
    """Compare as the strictness `contains` says: a text within a text, or all items of a list or an object."""
    if isinstance(expected, dict):
        wanted = cast("dict[str, Any]", expected)
        return all(name in got and got[name] == value for name, value in wanted.items())
    if isinstance(expected, list):
        return all(each in got for each in cast("list[Any]", expected))
    if isinstance(expected, str):
        return expected.lower() in got.lower()
    return got == expected


def normalize_path(path: str) -> str:
    """Return a path without redundant parts and leading slashes."""
    return posixpath.normpath(path).lstrip("/")


def _normalize_names(names: Iterable[Any]) -> set[str]:
    # Not `normalize_text` for everything: a list of numbers is no list of names, whatever their texts.
    return {normalize_text(each) for each in names if _require_text(each)}


def _require_text(value: object) -> bool:
    if not isinstance(value, str):
        raise TypeError("not a text")
    return True


def parse_time(text: str) -> datetime:
    """Return the time of a text; raise ValueError or TypeError if it is none."""
    return datetime.strptime(text, _DATE_FORMAT)  # noqa: DTZ007 - both sides are local times of the scenario


def keep_digits(text: str) -> str:
    """Return the digits of a text."""
    return "".join(each for each in text if each.isdigit())


CHECKERS: Final[Mapping[str, Checker]] = {
    "equal": _are_equal,
    "unordered": _are_unordered_equal,
    "path": _are_same_path,
    "paths": _are_same_paths,
    "datetime": _are_same_time,
    "phone": _are_same_number,
    "stripped": _are_equal_stripped,
    "attendees": _are_same_attendees,
    "contains_any": _contains_any,
    "contains_all": _contains_all,
    "contains": _contains_expected,
}
"""The checkers by name."""

ARE_CHECKER_NAMES: Final[Mapping[str, str]] = {
    "eq_checker": "equal",
    "unordered_list_checker": "unordered",
    "path_checker": "path",
    "unordered_path_list_checker": "paths",
    "datetime_checker": "datetime",
    "phone_number_checker": "phone",
    "eq_str_strip_checker": "stripped",
    "list_attendees_checker": "attendees",
    "contain_any_checker": "contains_any",
    "contain_all_checker": "contains_all",
}
"""The names of the checkers in the ARE package."""

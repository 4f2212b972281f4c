"""Judges values: whether one stands for a value that is elsewhere, is an ordinary word, or looks random. Also what is
written instead of a secret, and objects whose keys may have been masked."""

from __future__ import annotations

import re
from collections.abc import Iterable
from itertools import pairwise

from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.redaction.secret_names import NameKind, classify_name, split_words

MASK = "[redacted]"
"""The replacement of a secret."""

_PLACEHOLDER = re.compile(
    r"""(?ix) \[redacted\] | \$\{?\w{1,128}+\}? | \$\(.{0,256}+ | \{\{.{0,256}+ | %\w{1,64}+%? | %\(\w{1,64}+\)s
    | <[a-z][a-z_\ -]{0,64}+>? | \$\{\{? | \*{1,256}+ | \.{3,64}+ | …+ | x{3,64}+ | -{1,64}+ | _{1,64}+
    | (?:your|my)[-_ ][a-z_-]{1,64}+"""
)

_MAX_PLACEHOLDER = 256

_EMPTY_VALUES = frozenset({"null", "none", "nil", "undefined", "true", "false"})

_ORDINARY_WORDS = frozenset(
    [
        "null",
        "none",
        "nil",
        "undefined",
        "true",
        "false",
        "yes",
        "no",
        "required",
        "optional",
        "string",
        "str",
        "int",
        "integer",
        "number",
        "float",
        "bool",
        "boolean",
        "object",
        "array",
        "list",
        "dict",
        "any",
        "unknown",
        "empty",
        "missing",
        "invalid",
        "valid",
        "wrong",
        "incorrect",
        "expired",
        "default",
        "hidden",
        "masked",
        "redacted",
        "secret",
        "password",
        "token",
        "bearer",
        "basic",
        "the",
        "a",
        "an",
        "is",
        "are",
        "was",
        "must",
        "should",
        "will",
        "may",
        "can",
        "not",
        "only",
    ]
)

_CODE = re.compile(r"(?:os\.environ|os\.getenv|process\.env|getenv|env\.|ENV\[|secrets?\.|vault:|settings\.|config\.)")
_ATTRIBUTE = re.compile(r"[A-Za-z_]\w{0,64}+(?:\.[A-Za-z_]\w{0,64}+){1,8}+$")
_CALL = re.compile(r"[A-Za-z_][A-Za-z_.]{0,64}+(?:\([^)]{0,128}+\)|\[[^\]]{0,128}+\])$")
_PROSE_WORD = re.compile(r"[^\W\d_]{1,64}+(?:[-'\u2019][^\W\d_]{1,64}+){0,4}+[.,;:!?]?$")
_UUID = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}$")
_HEX = re.compile(r"[0-9a-fA-F]{1,128}+$")
_SEGMENT = re.compile(r"[A-Za-z0-9]{8,}+")
_DIGIT_RUN = re.compile(r"\d+")


def is_placeholder(value: str) -> bool:
    """Return whether a value only stands for one: empty, masked, a variable, a field of a template, `None`."""
    value = value.strip()
    if not value or value.lower() in _EMPTY_VALUES:
        return True
    return len(value) <= _MAX_PLACEHOLDER and _PLACEHOLDER.fullmatch(value) is not None


def is_ordinary_word(value: str) -> bool:
    """Return whether a value is a word that says something about a secret instead of being one: `required`."""
    return value.strip(" .,;:!?").lower() in _ORDINARY_WORDS


def is_prose_word(value: str) -> bool:
    """Return whether a value consists of letters, like a word of a sentence."""
    return _PROSE_WORD.match(value) is not None


def is_code(value: str) -> bool:
    """Return whether a value is code that gets the secret from somewhere: `os.environ[...]`, `settings.api_key`."""
    if _CODE.match(value) or _CALL.match(value):
        return True
    if _ATTRIBUTE.match(value):
        return classify_name(value.rsplit(".", 1)[-1]) is not NameKind.PLAIN
    # `login(password=password)`: an argument that is passed on under its own name.
    return value.isidentifier() and classify_name(value) is NameKind.SECRET and value.islower()


def is_path(value: str) -> bool:
    """Return whether a value is the path of a file or folder."""
    return value.startswith(("/", "./", "../", "~/", "file:")) and "=" not in value


def looks_random(value: str, min_length: int = 12) -> bool:
    """Return whether a value looks generated: letters mixed with digits, and neither an id nor a hash."""
    if len(value) < min_length or any(char.isspace() for char in value):
        return False
    if _UUID.match(value) or is_path(value) or "://" in value:
        return False
    if _HEX.match(value) and min_length >= 12 and len(value) in (32, 40, 64):
        return False
    return any(_is_random_segment(match[0], min(min_length, 10)) for match in _SEGMENT.finditer(value))


def has_secret_characters(value: str) -> bool:
    """Return whether a short value looks like a password: it has letters, and digits or symbols."""
    return (
        len(value) >= 6
        and any(char.isalpha() for char in value)
        and any(not char.isalpha() and char not in "-_'\u2019 .,:;!?" for char in value)
        and not is_path(value)
    )


def can_number_be_secret(name: str, number: float) -> bool:
    """Return whether a number under a secret name can be a secret, such as a PIN; a count or a flag cannot."""
    words = split_words(name)
    if "tokens" in words:
        return False
    digits = len(str(number).strip("-").replace(".0", ""))
    return digits >= (5 if "token" in words else 3)


def is_learnable(value: str) -> bool:
    """Return whether a value found under a secret name may be masked in other places too."""
    value = value.strip()
    if len(value) < 6 or is_placeholder(value) or is_ordinary_word(value):
        return False
    return not (value.isalpha() and value.isascii() and value.islower() and len(value) < 12)


def _is_random_segment(segment: str, min_length: int) -> bool:
    if len(segment) < min_length:
        return False
    has_digit = any(char.isdigit() for char in segment)
    has_lower, has_upper = any(char.islower() for char in segment), any(char.isupper() for char in segment)
    if has_digit and (has_lower or has_upper):
        # A word with a number at its end (`usercentral2024`) is no random text: digits are mixed in.
        return len(_DIGIT_RUN.findall(segment)) >= 2 or (has_lower and has_upper and len(segment) >= 16)
    return has_lower and has_upper and len(segment) >= 24 and _count_case_changes(segment) >= len(segment) // 4


def _count_case_changes(segment: str) -> int:
    return sum(a.isupper() != b.isupper() for a, b in pairwise(segment))


def build_masked_object(entries: Iterable[tuple[str, Json]]) -> dict[str, Json]:
    """Return an object of these entries; keys that masking has made equal are numbered."""
    built: dict[str, Json] = {}
    numbers: dict[str, int] = {}
    for key, value in entries:
        unique = key
        while unique in built:
            # The number is kept: to count from 1 again for each key would be quadratic.
            numbers[key] = numbers.get(key, 1) + 1
            unique = f"{key} {numbers[key]}"
        built[unique] = value
    return built

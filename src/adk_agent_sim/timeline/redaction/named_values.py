"""Finds the values of secret names in a text: `password=x`, `"token": "x"`, a value on the next line, `--token x`.

Each function takes the match of a pattern that ends where the value begins, and returns where the secret is. It looks
ahead a bounded number of characters, so that a text is read in linear time.
"""

from __future__ import annotations

import re
from enum import Enum
from typing import NamedTuple, TypeAlias

from adk_agent_sim.timeline.redaction.secret_values import (
    NameKind,
    can_number_be_secret,
    classify_name,
    has_secret_characters,
    is_code,
    is_ordinary_word,
    is_path,
    is_placeholder,
    is_prose_word,
    looks_random,
    split_words,
)

Span: TypeAlias = tuple[int, int]
"""Where a secret starts and ends in a text."""

MAX_VALUE = 8_192
"""How far the end of a quoted value is searched."""

_SPACES = re.compile(r"[ \t]{0,64}+")
_NEXT_LINE = re.compile(r"(?:\r?\n|(?:\\{1,8}r)?\\{1,8}n)[ \t]{0,64}+(?:- )?")
_BLOCK_SCALAR = re.compile(r"[|>][+-]?\d?[ \t]{0,16}+\r?\n(?P<block>(?:[ \t][^\n]{0,4096}+\n?)++)")
_OPENING_QUOTE = re.compile(r"[bBrRuUfF]{0,2}(?P<quote>(?P<slashes>\\{0,8}+)[\"'`])")
_WRAPPED = re.compile(r"[A-Za-z_][\w.]{0,64}+\((?P<slashes>\\{0,8}+)[\"']")
_LIST = re.compile(r"\[(?P<items>[^\[\]{}]{1,4096}+)\]")
_BARE = re.compile(r"(?:\[redacted\]|[^\s\"'`,;&(){}\[\]<>|\\]|\\(?![nrt\"'\\]))++")
_LINE_BARE = re.compile(r"(?:\[redacted\]|[^\s\"'`&\\]|&(?![\w.-]{1,64}+=)|\\(?![nrt\"'\\]))++")
_LINE_START = re.compile(r"(?:^|\n)[ \t]{0,32}(?:export |set |- |\+ |# )?$")
_EARLIER_WORDS = re.compile(r"(?:[A-Za-z]{1,20}+[ ]){1,2}$")
_AUTH_SCHEME = re.compile(
    r"(?:Bearer|Basic|Token|Digest|Negotiate|NTLM|ApiKey|OAuth|Hawk|Key|AWS4-HMAC-SHA256)\s", re.I
)
_REST_OF_LINE = re.compile(r"[^\r\n\"'`\\]++")
_MASKED = re.compile(r"\[redacted\]")


class _Style(Enum):
    QUOTED = 0
    BARE = 1
    NEXT_LINE = 2
    BLOCK = 3
    LIST = 4


class _Value(NamedTuple):
    start: int
    end: int
    style: _Style


def locate_assigned_value(match: re.Match[str]) -> Span | None:
    """Return where the value of an assignment (`name: value`, `name = value`) is, if it is a secret."""
    text, name = match.string, match["name"]
    kind = _classify_with_earlier_words(text, match.start("name"), name)
    if kind is NameKind.PLAIN:
        return None
    operator = match["operator"]
    words = split_words(name)
    if operator == ":" and (header := _locate_header(text, match.end(), words)):
        return header
    value = _read_value(text, match.end(), at_line_start=_starts_line(text, match.start("name")))
    if value is None:
        return None
    return (value.start, value.end) if _is_secret_value(text, value, name, kind, operator) else None


def locate_random_value(match: re.Match[str]) -> Span | None:
    """Return where a value without an operator is (`my password is x`, `("token", "x")`), if it looks like a secret."""
    name, value = match["name"], match["secret"].rstrip(".,;:!?")
    kind = _classify_with_earlier_words(match.string, match.start("name"), name)
    if kind is NameKind.PLAIN or is_placeholder(value) or is_code(value):
        return None
    is_secret = has_secret_characters(value) if kind is NameKind.SECRET else looks_random(value)
    return (match.start("secret"), match.start("secret") + len(value)) if is_secret else None


def locate_named_value(match: re.Match[str]) -> Span | None:
    """Return where a delimited value is (`<password>x</password>`, `--token x`), if its name is secret."""
    name, value = match["name"], match["secret"].strip()
    kind = classify_name(name)
    if kind is NameKind.PLAIN or is_placeholder(value) or is_ordinary_word(value) or is_code(value):
        return None
    if kind is NameKind.SUSPECT and not looks_random(value):
        return None
    if value.isdigit() and not can_number_be_secret(name, int(value[:20])):
        return None
    return match.span("secret")


def _classify_with_earlier_words(text: str, start: int, name: str) -> NameKind:
    """Return the kind of a name, which may be the last word of several: `API key: x`."""
    kind = classify_name(name)
    if kind is NameKind.SECRET:
        return kind
    if (earlier := _EARLIER_WORDS.search(text, max(0, start - 44), start)) is None:
        return kind
    return max(kind, classify_name(earlier[0] + name), key=lambda each: each.value)


def _starts_line(text: str, start: int) -> bool:
    return _LINE_START.search(text, max(0, start - 48), start) is not None and (
        start <= 48 or "\n" in text[start - 48 : start]
    )


def _locate_header(text: str, position: int, words: list[str]) -> Span | None:
    """Return where the value of an Authorization or Cookie header is: all that follows in the line."""
    start = _skip_spaces(text, position)
    if "authorization" in words and _AUTH_SCHEME.match(text, start):
        rest = _REST_OF_LINE.match(text, start)
        return rest.span() if rest else None
    if words[-1] in ("cookie", "cookies") and (rest := _REST_OF_LINE.match(text, start)) and "=" in rest[0]:
        return rest.span()
    return None


def _read_value(text: str, position: int, *, at_line_start: bool) -> _Value | None:
    start = _skip_spaces(text, position)
    if block := _BLOCK_SCALAR.match(text, start):
        return _Value(*block.span("block"), _Style.BLOCK)
    is_next_line = False
    if line := _NEXT_LINE.match(text, start):
        start, is_next_line = line.end(), True
    if opening := _OPENING_QUOTE.match(text, start) or _WRAPPED.match(text, start):
        end = _find_closing_quote(text, opening.end(), text[opening.end() - 1], len(opening["slashes"]))
        is_key = text[end : end + 12].lstrip("\\\"'` \t").startswith((":", "="))
        return None if is_next_line and is_key else _Value(opening.end(), end, _Style.QUOTED)
    if items := _LIST.match(text, start):
        return None if _MASKED.match(text, start) else _Value(*items.span("items"), _Style.LIST)
    bare = (_LINE_BARE if at_line_start and not is_next_line else _BARE).match(text, start)
    if bare is None:
        return None
    end = start + len(bare[0].rstrip(".,;:!?")) if bare[0].rstrip(".,;:!?") else bare.end()
    return _Value(start, end, _Style.NEXT_LINE if is_next_line else _Style.BARE)


def _skip_spaces(text: str, position: int) -> int:
    match = _SPACES.match(text, position)
    return match.end() if match else position


def _find_closing_quote(text: str, start: int, quote: str, slashes: int) -> int:
    """Return where a quoted value ends: at the quote that is escaped as the opening one, or with the line."""
    limit = min(len(text), start + MAX_VALUE)
    position = start
    while (position := text.find(quote, position, limit)) >= 0:
        before = position
        while before > start and text[before - 1] == "\\":
            before -= 1
        count = position - before
        if count <= slashes or (slashes == 0 and count % 2 == 0):
            return position - min(count, slashes)
        position += 1
    newline = text.find("\n", start, limit)
    return newline if newline >= 0 else limit


def _is_secret_value(text: str, value: _Value, name: str, kind: NameKind, operator: str) -> bool:
    found = text[value.start : value.end]
    if value.style is _Style.BLOCK:
        return kind is NameKind.SECRET and not is_placeholder(found)
    if value.style is _Style.LIST:
        return kind is NameKind.SECRET and any(
            has_secret_characters(item.strip(" \"'")) for item in found.split(",")[:64]
        )
    if is_placeholder(found) or (name.lower() in ("pwd", "oldpwd") and is_path(found)):
        return False
    if kind is NameKind.SUSPECT:
        is_password = split_words(name)[-1] in ("pass", "pw", "auth")
        return has_secret_characters(found) if is_password else _is_suspect_secret(found, name)
    if found.isdigit():
        return can_number_be_secret(name, int(found[:20]))
    if value.style is _Style.QUOTED:
        return not is_code(found) and not (operator in ("==", "===", "!=") and not has_secret_characters(found))
    return _is_bare_secret(text, value, operator)


def _is_suspect_secret(value: str, name: str) -> bool:
    if value.isdigit():
        return split_words(name)[-1] == "pin" and 4 <= len(value) <= 12
    return looks_random(value)


def _is_bare_secret(text: str, value: _Value, operator: str) -> bool:
    found, after = text[value.start : value.end], text[value.end : value.end + 24]
    if is_code(found) or (after[:1] in ("(", "[") and found.replace(".", "").isidentifier()):
        return False
    if value.style is _Style.NEXT_LINE:
        # Alone on its line: otherwise it is the next name, or a sentence.
        line = after.lstrip(" \t,;")
        return not after.startswith((":", "=")) and (not line or line[0] in "\r\n\\\"'}])")
    if is_ordinary_word(found):
        return operator not in (":", "=") and has_secret_characters(found)
    if operator != "=" and is_prose_word(found):
        next_word = after.lstrip(".,;:!?")
        return not (next_word[:1] in (" ", "\t") and next_word.lstrip()[:1].isalpha())
    return operator not in ("==", "===", "!=")

"""Removes secrets from a copy of a session's events. All redaction of exported data happens here.

It masks the values of keys that name a secret (`password`, `apiKey`, `x-auth-token`), at any depth and in JSON inside
strings, and the values of environment variables named *_KEY, *_TOKEN, *_SECRET or *_PASSWORD. A value found under such
a key is masked wherever else it occurs. Values shorter than six characters are masked only under their key, because
they would match parts of ordinary words.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from enum import Enum
from itertools import pairwise
from typing import cast
from urllib.parse import quote, quote_plus

from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.events import Event, Payload, TurnAsked
from adk_agent_sim.timeline.strict_json import is_too_deep

MASK = "[redacted]"
"""The replacement of a secret."""

_MIN_SECRET_LENGTH = 6

_SECRET_WORDS = frozenset(
    {"password", "passwords", "passwd", "pwd", "passphrase", "passcode", "otp"}
    | {"secret", "secrets", "token", "tokens", "bearer", "authorization", "apikey", "apikeys"}
    | {"cookie", "cookies", "credential", "credentials"}
)

_SECRET_WORD_PAIRS = frozenset(
    {("api", "key"), ("api", "keys"), ("access", "key"), ("private", "key"), ("signing", "key")}
)

_COUNT_WORDS = frozenset({"token", "tokens"})
"""A number under such a key is a count, not a secret."""

_SECRET_VARIABLE = re.compile(r"_(KEY|TOKEN|SECRET|PASSWORD)$", re.IGNORECASE)

_WORD_PATTERN = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")

_QUOTE = r"""(?:\\*["'])"""

_NAMED_VALUE = re.compile(
    rf"""(?<![\w-])(?P<name>[A-Za-z_][\w-]*+)(?P<between>{_QUOTE}?\s*[:=](?!=)\s*)"""
    rf"""(?:\[redacted\]|(?P<open>{_QUOTE})(?:(?!(?P=open))(?:\\.|.))*|[^\s"',;&)}}\]]+)"""
)
"""A name with its value inside a string: `password=x`, `"token": "x"`, `api_key: x`."""

_HEADER = re.compile(r"""\b((?:proxy-)?authorization|(?:set-)?cookie)(\s*:\s*)[^\r\n"']+""", re.IGNORECASE)

_BEARER = re.compile(r"\b(Bearer|Basic)\s+[\w.~+/=-]{8,}", re.IGNORECASE)

_ID_FIELDS = frozenset({"event_id", "session_id", "turn_id", "call_id", "decision_id", "invocation_id", "block"})


def redact_events(events: Sequence[Event], environment: Mapping[str, str] | None = None) -> list[Event]:
    """Return a copy of the events without secrets.

    Args:
        events: A session's events.
        environment: The environment variables to read secrets from; by default those of this process.
    """
    redactor = Redactor(environment)
    for event in events:
        redactor.learn_secrets(_get_redactable_fields(event.payload))
    return [replace(event, payload=_redact_payload(event.payload, redactor)) for event in events]


class Redactor:
    """Masks secrets that it recognizes by key, by environment variable, or from values it has learned."""

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        variables = os.environ if environment is None else environment
        self._secrets: set[str] = set()
        self._pattern: re.Pattern[str] | None = None
        for name, value in variables.items():
            if _SECRET_VARIABLE.search(name):
                self._add_secret(value)

    def learn_secrets(self, value: Json) -> None:
        """Remember the values under secret keys in `value`, to mask them in other places too."""
        for key, under in _iter_entries(value):
            if is_secret_key(key):
                for text in _iter_strings(under):
                    self._add_secret(text)

    def redact_value(self, value: Json) -> Json:
        """Return a copy of a JSON value without secrets."""
        if isinstance(value, str):
            return self.redact_text(value)
        if isinstance(value, Mapping):
            entries = cast("Mapping[str, Json]", value)
            return {self.redact_text(key): self._redact_entry(key, inner) for key, inner in entries.items()}
        if isinstance(value, Sequence) and not isinstance(value, bytes):
            return [self.redact_value(inner) for inner in cast("Sequence[Json]", value)]
        return value

    def redact_text(self, text: str) -> str:
        """Return a string without secrets; a string that is JSON stays valid JSON."""
        inside = _parse_json(text)
        if inside is not None:
            clean = self.redact_value(inside)
            text = text if clean == inside else json.dumps(clean, ensure_ascii=False)
        else:
            text = _NAMED_VALUE.sub(_mask_match, _BEARER.sub(rf"\1 {MASK}", _HEADER.sub(rf"\1\2{MASK}", text)))
        if self._pattern is None:
            # Longest first, so that a secret is masked as a whole even if another one is its prefix.
            known = sorted(
                {form for secret in self._secrets for form in _iter_encodings(secret)}, key=len, reverse=True
            )
            self._pattern = re.compile("|".join(map(re.escape, known)) or r"(?!)")
        return self._pattern.sub(MASK, text)

    def _redact_entry(self, key: str, value: Json) -> Json:
        if value is None or value == "" or isinstance(value, bool) or not is_secret_key(key):
            return self.redact_value(value)
        if isinstance(value, int | float) and _COUNT_WORDS & set(_split_words(key)):
            return value
        return MASK

    def _add_secret(self, secret: str) -> None:
        if len(secret.strip()) >= _MIN_SECRET_LENGTH and secret != MASK:
            self._secrets.add(secret.strip())
            self._pattern = None


def is_secret_key(key: str) -> bool:
    """Return whether a key names a secret, by whole words: `accessToken` does, `tokenizer` and `author` do not."""
    words = _split_words(key)
    return any(word in _SECRET_WORDS for word in words) or any(pair in _SECRET_WORD_PAIRS for pair in pairwise(words))


def _split_words(key: str) -> list[str]:
    return [word.lower() for word in _WORD_PATTERN.findall(key)]


def _mask_match(match: re.Match[str]) -> str:
    if not is_secret_key(match["name"]):
        return match[0]
    return f"{match['name']}{match['between']}{match['open'] or ''}{MASK}"


def _iter_encodings(secret: str) -> Iterator[str]:
    """Yield the encodings in which a secret may occur: plain, in a URL, and JSON-escaped up to three times."""
    yield from (secret, quote(secret), quote(secret, safe=""), quote_plus(secret), repr(secret)[1:-1])
    for ascii_only in (True, False):
        escaped = secret
        for _ in range(3):
            escaped = json.dumps(escaped, ensure_ascii=ascii_only)[1:-1]
            yield escaped


def _parse_json(text: str) -> Json:
    """Return the object or list that a string encodes, or None; also if it is nested too deeply to be walked."""
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return None if is_too_deep(value) else value


def _iter_entries(value: Json) -> Iterator[tuple[str, Json]]:
    """Yield all keys with their values, at any depth, including JSON inside strings."""
    if isinstance(value, str):
        value = _parse_json(value)
    if isinstance(value, Mapping):
        for key, inner in cast("Mapping[str, Json]", value).items():
            yield key, inner
            yield from _iter_entries(inner)
    elif isinstance(value, Sequence) and not isinstance(value, str | bytes):
        for inner in cast("Sequence[Json]", value):
            yield from _iter_entries(inner)


def _iter_strings(value: Json) -> Iterable[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in cast("Mapping[str, Json]", value).values():
            yield from _iter_strings(inner)
    elif isinstance(value, Sequence):
        for inner in cast("Sequence[Json]", value):
            yield from _iter_strings(inner)


def _get_redactable_fields(payload: Payload) -> dict[str, Json]:
    """Return the fields that can contain a secret: no ids, no enums, and no request, which has only ids."""
    if isinstance(payload, TurnAsked):
        return {}
    found = {field.name: getattr(payload, field.name) for field in fields(payload) if field.name not in _ID_FIELDS}
    return {name: value for name, value in found.items() if not isinstance(value, Enum)}


def _redact_payload(payload: Payload, redactor: Redactor) -> Payload:
    return replace(
        payload, **{name: redactor.redact_value(value) for name, value in _get_redactable_fields(payload).items()}
    )

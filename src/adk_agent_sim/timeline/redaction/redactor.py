"""Removes secrets from a copy of a session's events. All redaction of exported data happens here.

It walks JSON, also JSON inside of strings, masks the values of keys that name a secret at any depth, and gives every
text to the scanner. A value found under a secret name, and the values of this process's secret
environment variables, are masked wherever else they occur. The shape of the JSON stays: a secret becomes a string, a
list or object under a secret name keeps its items.

    text --> spans of every pattern --+
         --> spans of known values  --+--> merge --> mask --> again, until nothing is found

Masking repeats because a mask can end the value before it; so masking a masked text changes nothing.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from enum import Enum
from typing import Any, cast

from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.events import Event, Payload, TurnAsked
from adk_agent_sim.timeline.redaction.known_secrets import KnownSecrets
from adk_agent_sim.timeline.redaction.named_values import Span
from adk_agent_sim.timeline.redaction.secret_patterns import SECRET_PATTERNS, SecretGroup
from adk_agent_sim.timeline.redaction.secret_values import (
    MASK,
    NameKind,
    build_masked_object,
    can_number_be_secret,
    classify_name,
    has_secret_characters,
    is_learnable,
    is_path,
    is_placeholder,
    is_secret_key,
    looks_random,
)
from adk_agent_sim.timeline.strict_json import is_too_deep

__all__ = ["MASK", "SECRET_PATTERNS", "Redactor", "SecretGroup", "is_secret_key", "redact_events"]

_SECRET_VARIABLE = re.compile(r"_(KEY|TOKEN|SECRET|PASSWORD|PASSWD|PASSPHRASE|PASS|PWD|APIKEY)$", re.IGNORECASE)

_URL_PASSWORD = re.compile(r"://[^\s/?#@:]{0,256}+:([^\s/?#@]{6,512}+)@")

_MAX_JSON_IN_TEXT = 8
"""How many levels of JSON inside of strings are parsed; the scanner reads deeper ones as text."""

_ID_FIELDS = frozenset(
    {"event_id", "session_id", "turn_id", "call_id", "request_id", "decision_id", "invocation_id", "client_id", "block"}
)

_SCHEMA_TYPES = frozenset({"string", "object", "array", "integer", "number", "boolean", "null"})
_SCHEMA_VALUES = frozenset({"default", "example", "examples", "enum", "const"})

_METADATA_KEYS = frozenset(
    {"type", "kind", "name", "id", "url", "uri", "scope", "scopes", "username", "user", "email", "auth_type", "in"}
    | {"client_id", "expires_at", "expires_in", "created_at", "host", "port", "path", "domain", "token_uri", "auth_uri"}
)
"""Keys under a secret name whose values describe the secret."""

_ENTRY_NAMES = ("name", "key", "header", "field", "variable")


def redact_events(events: Sequence[Event], environment: Mapping[str, str] | None = None) -> list[Event]:
    """Return a copy of the events without secrets.

    Args:
        events: A session's events.
        environment: The environment variables to read secrets from; by default those of this process.
    """
    redactor = Redactor(environment)
    # A pass of its own: a value may be named as a secret only after it has occurred elsewhere.
    for event in events:
        redactor.learn_event(event)
    return [redactor.redact_event(event) for event in events]


class Redactor:
    """Masks the secrets that the scanner finds, and the values that it has learned."""

    def __init__(self, environment: Mapping[str, str] | None = None) -> None:
        self._known = KnownSecrets()
        for name, value in (os.environ if environment is None else environment).items():
            if (_SECRET_VARIABLE.search(name) or is_secret_key(name)) and not is_path(value):
                self._learn(value, is_certain=True)
            elif match := _URL_PASSWORD.search(value):
                self._learn(match[1], is_certain=True)

    @property
    def known_count(self) -> int:
        """How many values are known to be secret."""
        return len(self._known)

    def learn_event(self, event: Event) -> None:
        """Remember the secrets that an event names, to mask them in other events too."""
        self.learn_secrets(_get_redactable_fields(event.payload))

    def learn_secrets(self, value: Json) -> None:
        """Remember the values under secret names in `value`, to mask them in other places too."""
        for text in _iter_named_strings(value):
            self._learn(text)

    def redact_event(self, event: Event) -> Event:
        """Return a copy of an event without secrets."""
        values = _get_redactable_fields(event.payload).items()
        payload = replace(event.payload, **{name: self.redact_value(value) for name, value in values})
        return replace(event, payload=payload, agent_name=self.redact_text(event.agent_name))

    def redact_value(self, value: Json) -> Json:
        """Return a copy of a JSON value without secrets."""
        return self._redact(value, 0)

    def redact_text(self, text: str) -> str:
        """Return a string without secrets; a string that is JSON stays valid JSON."""
        return self._redact_text(text, 0)

    def _redact(self, value: Json, level: int) -> Json:
        if isinstance(value, str):
            return self._redact_text(value, level)
        if isinstance(value, Mapping):
            return self._redact_object(cast("Mapping[str, Json]", value), level)
        if isinstance(value, Sequence) and not isinstance(value, bytes):
            items = cast("Sequence[Json]", value)
            if _is_named_pair(items):
                return [items[0], MASK]
            return [self._redact(inner, level) for inner in items]
        return value

    def _redact_text(self, text: str, level: int) -> str:
        if level < _MAX_JSON_IN_TEXT and (parsed := _parse_json(text)) is not None:
            clean = self._redact(parsed, level + 1)
            return text if clean == parsed else json.dumps(clean, ensure_ascii=False)
        return mask_secrets(text, self._known)

    def _redact_object(self, entries: Mapping[str, Json], level: int) -> dict[str, Json]:
        named = _find_entry_name(entries)
        return build_masked_object(
            (
                self._redact_text(key, level),
                self._redact_entry(named if named and key.lower() == "value" else key, inner, level),
            )
            for key, inner in entries.items()
        )

    def _redact_entry(self, key: str, value: Json, level: int) -> Json:
        kind = classify_name(key)
        if kind is NameKind.SECRET and isinstance(value, Mapping | list | tuple):
            return self._redact_container(key, value, level)
        return MASK if _is_secret_leaf(key, kind, value) else self._redact(value, level)

    def _redact_container(self, name: str, value: Json, level: int) -> Json:
        """Mask the leaves of a list or object under a secret name, except where they describe the secret."""
        if isinstance(value, Mapping):
            entries = cast("Mapping[str, Json]", value)
            if _is_schema(entries):
                return {
                    key: self._redact_container(name, inner, level)
                    if key in _SCHEMA_VALUES
                    else self._redact(inner, level)
                    for key, inner in entries.items()
                }
            return build_masked_object(
                (
                    self._redact_text(key, level),
                    self._redact_entry(key, inner, level)
                    if key in _METADATA_KEYS
                    else self._redact_container(name, inner, level),
                )
                for key, inner in entries.items()
            )
        if isinstance(value, list | tuple):
            return [self._redact_container(name, inner, level) for inner in cast("Sequence[Json]", value)]
        return MASK if _is_secret_leaf(name, NameKind.SECRET, value) else self._redact(value, level)

    def _learn(self, secret: str, *, is_certain: bool = False) -> None:
        if is_learnable(secret) or (is_certain and not is_placeholder(secret)):
            self._known.add(secret)


def _is_secret_leaf(key: str, kind: NameKind, value: Json) -> bool:
    if kind is NameKind.PLAIN or value is None or isinstance(value, bool | Mapping | list | tuple):
        return False
    if isinstance(value, int | float):
        is_number_name = kind is NameKind.SECRET or key.lower() == "pin"
        return is_number_name and can_number_be_secret(key, value)
    if not isinstance(value, str) or is_placeholder(value):
        return False
    if kind is NameKind.SUSPECT:
        is_password = key.lower() in ("pass", "pw", "auth", "pin")
        return has_secret_characters(value) if is_password else looks_random(value)
    if key.lower() in ("pwd", "oldpwd") and is_path(value):
        return False
    return not value.isdigit() or can_number_be_secret(key, int(value[:20]))


def _is_named_pair(items: Sequence[Json]) -> bool:
    """Return whether a list is a name with its secret: `["Authorization", "Bearer x"]`."""
    if len(items) != 2 or not all(isinstance(item, str) for item in items):
        return False
    name, value = cast("Sequence[str]", items)
    return is_secret_key(name) and len(name) < 64 and has_secret_characters(value) and not is_placeholder(value)


def _find_entry_name(entries: Mapping[str, Json]) -> str:
    """Return the name in an object such as `{"name": "API_KEY", "value": "x"}`; empty if it is no such object."""
    names = [entries[key] for key in _ENTRY_NAMES if isinstance(entries.get(key), str)]
    return (
        next((name for name in names if is_secret_key(name)), "") if any(k.lower() == "value" for k in entries) else ""
    )


def _is_schema(entries: Mapping[str, Json]) -> bool:
    kind = entries.get("type")
    return isinstance(kind, str) and kind.lower() in _SCHEMA_TYPES


def _parse_json(text: str) -> Json:
    """Return the object, list or string that a text encodes, or None; also if walking it could lose a part."""
    if text.lstrip()[:1] not in ("{", "[", '"'):
        return None
    try:
        value = json.loads(text, object_pairs_hook=_build_unique_object)
    except (ValueError, RecursionError):
        return None
    return None if isinstance(value, int | float) or is_too_deep(value) else value


def _build_unique_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    # A dict keeps only the last of equal keys, so a secret under the first would never be seen.
    built = dict(pairs)
    if len(built) != len(pairs):
        raise ValueError("a key is repeated, and its first value would not be read")
    return built


def _iter_named_strings(value: Json, name: str = "", level: int = 0) -> Iterator[str]:
    """Yield the strings under secret names, at any depth, in JSON inside of strings and in texts."""
    if isinstance(value, str):
        parsed = _parse_json(value) if level < _MAX_JSON_IN_TEXT else None
        if name and not is_placeholder(value):
            yield value
        if parsed is not None:
            yield from _iter_named_strings(parsed, name, level + 1)
        elif not name:
            yield from (found for found in find_named_secrets(value) if looks_random(found, 8))
    elif isinstance(value, Mapping):
        entries = cast("Mapping[str, Json]", value)
        is_schema = _is_schema(entries)
        entry_name = _find_entry_name(entries)
        for key, inner in entries.items():
            inner_name = entry_name if entry_name and key.lower() == "value" else key
            is_description = key not in _SCHEMA_VALUES if is_schema else key in _METADATA_KEYS
            kept = "" if is_description else name
            yield from _iter_named_strings(inner, inner_name if is_secret_key(inner_name) else kept, level)
    elif isinstance(value, Sequence) and not isinstance(value, bytes):
        for inner in cast("Sequence[Json]", value):
            yield from _iter_named_strings(inner, name, level)


def _get_redactable_fields(payload: Payload) -> dict[str, Json]:
    """Return the fields that can contain a secret: no ids, no enums, and no request, which has only ids."""
    if isinstance(payload, TurnAsked):
        return {}
    found = {field.name: getattr(payload, field.name) for field in fields(payload) if field.name not in _ID_FIELDS}
    return {name: value for name, value in found.items() if not isinstance(value, Enum)}


_MAX_PASSES = 8
"""How often a text is scanned at most; two passes are usual, the second of which finds nothing."""


def mask_secrets(text: str, known: KnownSecrets) -> str:
    """Return a text with a mask in place of each secret."""
    for _ in range(_MAX_PASSES):
        spans = find_secrets(text, known)
        if not spans:
            break
        text = _replace_spans(text, spans)
    return text


def find_secrets(text: str, known: KnownSecrets) -> list[Span]:
    """Return where the secrets of a text are, in order and without overlaps; what is masked already is none."""
    found = [span for span in _iter_pattern_spans(text) if span[0] < span[1]]
    found += known.find_spans(text)
    return _merge_spans(found, list(_iter_masks(text))) if found else []


def find_named_secrets(text: str) -> Iterator[str]:
    """Yield the values that a name in a text marks as secrets."""
    for pattern in SECRET_PATTERNS:
        if pattern.group is SecretGroup.NAMED_VALUE and (not pattern.anchor or pattern.anchor in text):
            for match in pattern.regex.finditer(text):
                if span := pattern.locate(match):
                    yield text[span[0] : span[1]]


def _iter_pattern_spans(text: str) -> Iterator[Span]:
    for pattern in SECRET_PATTERNS:
        if pattern.anchor and pattern.anchor not in text:
            continue
        for match in pattern.regex.finditer(text):
            if span := pattern.locate(match):
                yield span


def _iter_masks(text: str) -> Iterator[Span]:
    position = text.find(MASK)
    while position >= 0:
        yield position, position + len(MASK)
        position = text.find(MASK, position + len(MASK))


def _merge_spans(found: list[Span], masks: list[Span]) -> list[Span]:
    """Join overlapping spans; a span that only covers a part of a mask, or a mask itself, is dropped."""
    merged: list[tuple[int, int, bool]] = []
    for start, end, is_mask in sorted([(*span, False) for span in found] + [(*span, True) for span in masks]):
        if merged and start < merged[-1][1]:
            first, last, was_mask = merged[-1]
            # A mask absorbs what is inside of it, and becomes part of a secret that reaches beyond it.
            is_only_mask = (was_mask and end <= last) or (is_mask and (start, end) == (first, last))
            if is_mask and not was_mask and start <= first and end >= last:
                is_only_mask = True
            merged[-1] = (first, max(last, end), is_only_mask)
        else:
            merged.append((start, end, is_mask))
    return [(start, end) for start, end, is_mask in merged if not is_mask]


def _replace_spans(text: str, spans: list[Span]) -> str:
    parts: list[str] = []
    position = 0
    for start, end in spans:
        parts += (text[position:start], MASK)
        position = end
    return "".join((*parts, text[position:]))

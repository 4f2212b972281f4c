"""Keeps the credentials that users give to an agent out of everything that is recorded.

Unlike redaction, which cleans what leaves the timeline on request, this happens always and before anything is stored.
The mask learns the values of an answer to ADK's request for a credential, and masks them wherever else they appear,
also in the form that HTTP basic authentication gives them. It does the same with the secret fields of ADK's credential
objects, such as the tokens that ADK gets in exchange, from the first such object on.
"""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import fields, replace
from enum import Enum
from typing import cast
from urllib.parse import parse_qs, urlsplit

from adk_agent_sim.timeline.canonical_json import Json, encode_json
from adk_agent_sim.timeline.content_parts import as_mapping, get_parts
from adk_agent_sim.timeline.events import Payload
from adk_agent_sim.timeline.framework_calls import REQUEST_CREDENTIAL
from adk_agent_sim.timeline.redaction.known_secrets import KnownSecrets
from adk_agent_sim.timeline.redaction.secret_values import MASK, build_masked_object

NOT_RECORDED = "not recorded"
"""What the timeline has in place of a credential that the user gave."""

SIMULATED = "simulated"
"""What the timeline has in place of the credential of a user whose sign-in was simulated."""

SIMULATED_PREFIX = "simulated-"
"""How the values of a simulated credential begin."""

_SCHEME_KEYS = frozenset({"authscheme"})
_PUBLIC_KEYS = frozenset(
    {"authtype", "scheme", "type", "clientid", "authuri", "redirecturi", "state", "nonce", "username", "audience"}
    | {"prompt", "credentialkey", "tokenendpointauthmethod", "codechallengemethod", "resourceref", "tokenuri"}
    | {"projectid", "clientemail", "universedomain", "functioncallid"}
)
"""Keys of an answer whose values describe the credential; every other text is taken as secret."""

_SECRET_KEYS = frozenset(
    {"apikey", "password", "token", "clientsecret", "authresponseuri", "authcode", "accesstoken", "refreshtoken"}
    | {"idtoken", "codeverifier", "privatekey", "privatekeyid", "additionalheaders"}
)
"""Fields of ADK's credential objects that are masked wherever the object appears."""

_BASIC_PAIRS = (("username", "password"), ("clientid", "clientsecret"))
"""The fields that HTTP basic authentication combines."""

_CREDENTIAL_TYPES = frozenset({"apikey", "http", "oauth2", "openidconnect", "serviceaccount"})


class CredentialMask:
    """What one session has learned about the credentials of its user."""

    def __init__(self) -> None:
        self._known = KnownSecrets()
        self._values: set[str] = set()
        self.is_active = False
        """Whether a credential was asked for or given: before that there is nothing to mask."""

    def mask_message(self, content: Json) -> Json:
        """Return a user message without the credentials that it contains, and remember these."""
        if not any(_is_answer(part) for part in get_parts(content)):
            return content
        self.is_active = True
        parts = [self._mask_part(part) for part in get_parts(content)]
        return {**as_mapping(content), "parts": parts}

    def learn_credentials(self, value: Json) -> None:
        """Remember the secrets of the credential objects in a value, such as the tokens that ADK got for a code."""
        if isinstance(value, Mapping):
            entries = cast("Mapping[str, Json]", value)
            if _is_credential(entries):
                self._mask_secret_fields(entries)
                return
            for inner in entries.values():
                self.learn_credentials(inner)
        elif isinstance(value, list | tuple):
            for inner in cast("Sequence[Json]", value):
                self.learn_credentials(inner)

    def mask_payload(self, payload: Payload) -> Payload:
        """Return an event's payload without credentials."""
        values = {field.name: getattr(payload, field.name) for field in fields(payload)}
        # A tool's result comes before the state in which ADK keeps the credential that the tool has used.
        for value in values.values():
            self.learn_credentials(value)
        masked = {name: self.mask(value) for name, value in values.items() if not isinstance(value, Enum)}
        changed = {name: value for name, value in masked.items() if value != values[name]}
        return replace(payload, **changed) if changed else payload

    def mask(self, value: Json) -> Json:
        """Return a JSON value without credentials."""
        if isinstance(value, str):
            return self._mask_text(value)
        if isinstance(value, Mapping):
            entries = cast("Mapping[str, Json]", value)
            if _is_credential(entries):
                return self._mask_secret_fields(entries)
            return build_masked_object((self._mask_text(key), self.mask(inner)) for key, inner in entries.items())
        if isinstance(value, list | tuple):
            items = [self.mask(inner) for inner in cast("Sequence[Json]", value)]
            return items if isinstance(value, list) else tuple(items)
        return value

    def mask_data(self, data: bytes) -> bytes:
        """Return bytes without the values of credentials: JSON by its structure, anything else as text."""
        try:
            text = data.decode()
        except UnicodeDecodeError:
            return data
        try:
            value = json.loads(text)
        except (ValueError, RecursionError):
            return self._mask_text(text).encode()
        # JSON is compared as a value: data without a secret keeps its bytes, and so its block keeps its id.
        masked = self.mask(value)
        return data if masked == value else encode_json(masked)

    def _mask_part(self, part: Mapping[str, Json]) -> Mapping[str, Json]:
        if not _is_answer(part):
            return part
        answer = as_mapping(part["function_response"])
        response = answer.get("response")
        for secret in _iter_secrets(response):
            self._learn(secret)
        for form in _iter_basic_forms(response):
            self._known.add(form)
        return {**part, "function_response": {**answer, "response": describe_answer(answer.get("response"))}}

    def _learn(self, secret: str) -> None:
        self._values.add(secret)
        self._known.add(secret)
        # The address to which a provider sends the user back contains the code that ADK exchanges.
        for values in parse_qs(urlsplit(secret).query).values():
            for value in values:
                self._known.add(value)

    def _mask_secret_fields(self, entries: Mapping[str, Json]) -> Json:
        """Return a credential object without its secrets, and remember these: a tool may return them as a text."""
        for form in _iter_basic_forms(entries):
            self._known.add(form)
        return self._mask_fields(entries)

    def _mask_fields(self, value: Json) -> Json:
        if isinstance(value, Mapping):
            masked: dict[str, Json] = {}
            for key, inner in cast("Mapping[str, Json]", value).items():
                is_secret = _normalize(key) in _SECRET_KEYS and bool(inner)
                for secret in _iter_texts(inner) if is_secret else ():
                    self._known.add(secret)
                masked[key] = MASK if is_secret else self._mask_fields(inner)
            return masked
        if isinstance(value, list | tuple):
            return [self._mask_fields(inner) for inner in cast("Sequence[Json]", value)]
        return value

    def _mask_text(self, text: str) -> str:
        # `KnownSecrets` ignores short values, which would match parts of words: they are masked only as a whole text.
        if text in self._values:
            return MASK
        clean, position = list[str](), 0
        for start, end in self._known.find_spans(text):
            clean += [text[position:start], MASK]
            position = end
        return "".join([*clean, text[position:]]) if clean else text


def describe_answer(response: Json) -> dict[str, Json]:
    """Return what is recorded in place of the response with which a user gives a credential."""
    secrets = list(_iter_secrets(response))
    is_simulated = bool(secrets) and all(secret.startswith(SIMULATED_PREFIX) for secret in secrets)
    return {"credential": SIMULATED if is_simulated else NOT_RECORDED}


def _is_answer(part: Mapping[str, Json]) -> bool:
    return as_mapping(part.get("function_response")).get("name") == REQUEST_CREDENTIAL


def _normalize(key: str) -> str:
    return key.replace("_", "").lower()


def _is_credential(entries: Mapping[str, Json]) -> bool:
    kinds = [value for key, value in entries.items() if _normalize(key) == "authtype"]
    return bool(kinds) and isinstance(kinds[0], str) and _normalize(kinds[0]) in _CREDENTIAL_TYPES


def _iter_basic_forms(value: Json) -> Iterator[str]:
    """Yield what HTTP basic authentication sends for the names and passwords in a value."""
    if isinstance(value, Mapping):
        entries = cast("Mapping[str, Json]", value)
        fields = {_normalize(key): inner for key, inner in entries.items() if isinstance(inner, str)}
        for name, password in _BASIC_PAIRS:
            if fields.get(password):
                # The standard leaves the encoding open, and clients use either.
                for encoding in ("utf-8", "latin-1"):
                    yield from _encode_basic(f"{fields.get(name, '')}:{fields[password]}", encoding)
        for inner in entries.values():
            yield from _iter_basic_forms(inner)
    elif isinstance(value, list | tuple):
        for inner in cast("Sequence[Json]", value):
            yield from _iter_basic_forms(inner)


def _encode_basic(pair: str, encoding: str) -> Iterator[str]:
    encoded = b64encode(pair.encode(encoding, errors="replace")).decode()
    yield from (encoded, encoded.rstrip("="))


def _iter_texts(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for inner in cast("Mapping[str, Json]", value).values():
            yield from _iter_texts(inner)
    elif isinstance(value, list | tuple):
        for inner in cast("Sequence[Json]", value):
            yield from _iter_texts(inner)


def _iter_secrets(value: Json, key: str = "") -> Iterator[str]:
    """Yield the texts of an answer that may be secret."""
    if isinstance(value, Mapping):
        for name, inner in cast("Mapping[str, Json]", value).items():
            if _normalize(name) not in _SCHEME_KEYS:
                yield from _iter_secrets(inner, name)
    elif isinstance(value, list | tuple):
        for inner in cast("Sequence[Json]", value):
            yield from _iter_secrets(inner, key)
    elif isinstance(value, str) and value and _normalize(key) not in _PUBLIC_KEYS:
        yield value
    elif (
        isinstance(value, int | float) and not isinstance(value, bool) and _normalize(key) in ("result", *_SECRET_KEYS)
    ):
        yield str(value)

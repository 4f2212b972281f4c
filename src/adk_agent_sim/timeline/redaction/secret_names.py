"""Decides whether a name names a secret, by its words: `accessToken` does; `max_tokens` and `author` do not."""

from __future__ import annotations

import re
from enum import Enum
from functools import lru_cache


class NameKind(Enum):
    """What a name says about its value."""

    PLAIN = 0
    """Nothing."""

    SUSPECT = 1
    """The value is a secret if it looks random, as under `key`."""

    SECRET = 2
    """The value is a secret."""


_SECRET_WORDS = frozenset(
    {"password", "passwords", "passwd", "pwd", "passphrase", "passcode", "otp", "totp", "cvv", "cvc", "pgpassword"}
    | {"secret", "secrets", "token", "bearer", "authorization", "apikey", "apikeys"}
    | {"cookie", "cookies", "credential", "credentials"}
    | {"passwort", "kennwort", "contraseña", "contrasena", "senha", "пароль", "密码", "密碼", "パスワード", "비밀번호"}
    | {"parola", "hasło", "wachtwoord", "lösenord"}
)

_GLUED_SECRET = re.compile(
    r"(?:password|passwd|passphrase|apikey|secretkey|accesskey|privatekey|signingkey|accountkey|authkey|accesstoken"
    r"|authtoken|refreshtoken|sessiontoken|idtoken|bearertoken|clientsecret|appsecret|sharedsecret)$"
)
"""The end of a word that joins several: `dbpassword`, `PGPASSWORD`, `authtoken`."""

_SECRET_PAIRS = frozenset(
    {(first, "key") for first in ("api", "access", "private", "signing", "secret", "encryption", "account", "auth")}
    | {(first, "key") for first in ("master", "subscription", "storage", "hmac", "license", "deploy", "service")}
    | {(first, "key") for first in ("shared", "decryption", "consumer", "aes", "jwt", "webhook")}
    | {(first, "keys") for first in ("api", "access", "private", "secret")}
    | {(first, "pass") for first in ("db", "user", "smtp", "mysql", "admin", "login", "root", "ftp", "mail", "redis")}
    | {(first, "pass") for first in ("pg", "postgres", "auth", "ssh", "proxy", "http", "basic", "rabbitmq", "mongo")}
    | {(first, "pin") for first in ("user", "card", "sim", "account", "bank", "security", "door", "atm", "login")}
    | {("pin", "code"), ("pin", "number"), ("security", "code"), ("connection", "string"), ("recovery", "code")}
)

_NEUTRAL_WORDS = frozenset(
    {"value", "values", "confirm", "confirmation", "confirmed", "again", "repeat", "new", "old", "current", "previous"}
    | {"prod", "production", "dev", "development", "staging", "test", "live", "primary", "secondary", "backup", "main"}
    | {"data", "text", "plain", "plaintext", "hash", "digest", "encrypted", "base64", "b", "raw", "json", "header"}
    | {"env", "key", "keys", "string", "str", "digits", "answer", "base", "admin", "user", "default", "temp"}
)
"""Words that may follow a secret's name without changing what it is: `passwordConfirmation`, `SECRET_KEY_BASE`."""

_TOKEN_QUALIFIERS = frozenset(
    {"max", "min", "num", "number", "count", "total", "limit", "input", "output", "prompt", "completion", "candidates"}
    | {"cached", "thoughts", "thinking", "reasoning", "budget", "remaining", "used", "per", "avg", "context", "stop"}
    | {"pad", "eos", "bos", "sep", "cls", "unk", "special", "next", "first", "last", "page", "continuation", "sync"}
    | {"pagination", "cursor", "cancellation", "n", "audio", "image", "generated", "new", "extra", "sub"}
)
"""Before `token`, they make it a count, a page marker or a piece of text: `max_tokens`, `nextPageToken`."""

_QUESTION_WORDS = frozenset(
    {"has", "is", "use", "uses", "require", "requires", "required", "needs", "show", "hide", "enable", "enabled"}
    | {"allow", "save", "remember", "forgot", "supports", "can", "should", "no", "with", "without", "missing"}
)

_PLAIN_KEY_QUALIFIERS = frozenset(
    {"public", "primary", "foreign", "sort", "cache", "partition", "idempotency", "row", "group", "range", "unique"}
    | {"object", "natural", "composite", "translation", "message", "map", "dedupe", "shortcut", "hot", "issue", "block"}
)

_SUSPECT_WORDS = frozenset({"key", "keys", "tokens", "auth", "pass", "pw", "pin", "signature", "sig"})

_PLAIN_TAILS = frozenset(
    {"type", "types", "count", "counts", "limit", "policy", "policies", "name", "names", "length", "url", "uri"}
    | {"endpoint", "path", "file", "filename", "field", "expires", "expiry", "expiration", "ttl", "at", "in", "age"}
    | {"usage", "used", "details", "format", "prefix", "status", "scope", "ref", "arn", "version", "manager", "index"}
    | {"hint", "rules", "strength", "required", "enabled", "budget", "ratio", "bucket", "banner", "consent", "id"}
)

_WORD_PATTERN = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z][^\W\d_]*|[a-z]+")

_MAX_NAME = 200


def is_secret_key(key: str) -> bool:
    """Return whether a key names a secret, by whole words: `accessToken` does, `tokenizer` and `author` do not."""
    return classify_name(key) is NameKind.SECRET


@lru_cache(maxsize=4_096)
def classify_name(name: str) -> NameKind:
    """Return what a name says about its value."""
    # The end of a long name decides what it names.
    words = split_words(name[-_MAX_NAME:])
    if not words:
        return NameKind.PLAIN
    # Checked before the plain endings, among which is `id`.
    if words[-3:] == ["access", "key", "id"]:
        return NameKind.SECRET
    if words[-1] in _PLAIN_TAILS:
        return NameKind.PLAIN
    end = _find_secret_end(words)
    if end is None:
        return _classify_without_secret(words)
    if words[0] in _QUESTION_WORDS:
        return NameKind.SUSPECT
    return NameKind.SECRET if all(word in _NEUTRAL_WORDS for word in words[end:]) else NameKind.SUSPECT


def split_words(name: str) -> list[str]:
    """Return the words of a name in snake, kebab or camel case, in lower case."""
    if name.isascii():
        return [word.lower() for word in _WORD_PATTERN.findall(name)]
    return [part.lower() for part in re.split(r"[\W\d_]+", name) if part]


def _find_secret_end(words: list[str]) -> int | None:
    """Return the index after the last word that names a secret; None if there is none."""
    for end in range(len(words), 0, -1):
        word = words[end - 1]
        if word in _SECRET_WORDS or _GLUED_SECRET.search(word):
            if word == "token" and _TOKEN_QUALIFIERS & set(words):
                return None
            return end
        if end > 1 and (words[end - 2], word) in _SECRET_PAIRS:
            return end
    return None


def _classify_without_secret(words: list[str]) -> NameKind:
    last = words[-1]
    if last not in _SUSPECT_WORDS or (last == "tokens" and _TOKEN_QUALIFIERS & set(words)):
        return NameKind.PLAIN
    if last in ("signature", "sig"):
        # A model's thought signature and a function's signature are no secrets; URLs have rules of their own.
        return NameKind.PLAIN
    if last in ("key", "keys") and _PLAIN_KEY_QUALIFIERS & set(words):
        return NameKind.PLAIN
    return NameKind.SUSPECT

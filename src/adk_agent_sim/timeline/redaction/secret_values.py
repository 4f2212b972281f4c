"""Judges names and values: whether the words of a name say that it names a secret, as in `accessToken` but not in
`max_tokens`; whether a value stands for one that is elsewhere, is an ordinary word, or looks random. Also what is
written instead of a secret, and objects whose keys may have been masked."""

from __future__ import annotations

import re
from collections.abc import Iterable
from enum import Enum
from functools import lru_cache
from itertools import pairwise

from adk_agent_sim.timeline.canonical_json import Json


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

# A run of capitals is cut, so that it gives back a bounded number of them.
_WORD_PATTERN = re.compile(r"[A-Z]{1,32}(?![a-z])|[A-Z]?[a-z]+|[^\W\d_A-Za-z][^\W\d_]*|[a-z]+")

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

"""The table of the secrets that redaction recognizes, one row per kind; `secret_scanner` applies all of them.

    vendor keys, private keys, JSON Web Tokens: by their form alone
    URLs, headers: by the place in which a secret is
    named values: by the name before it (`secret_values` knows the names)

The values of this process's secret environment variables are the last group; they are no patterns.

A pattern must be linear: every repetition is possessive, what can fail is of bounded length, and only the last part may
be unbounded. `tests/timeline/test_secret_linearity.py` checks this for every row.
"""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from adk_agent_sim.timeline.redaction.named_values import (
    Span,
    locate_assigned_value,
    locate_named_value,
    locate_random_value,
)
from adk_agent_sim.timeline.redaction.secret_values import is_placeholder


class SecretGroup(StrEnum):
    """The groups of the table."""

    VENDOR_KEY = "vendor key"
    PRIVATE_KEY = "private key"
    JWT = "JSON Web Token"
    URL = "URL"
    HEADER = "header"
    NAMED_VALUE = "named value"


def locate_secret(match: re.Match[str]) -> Span | None:
    """Return where the group `secret` of a match is, or the whole match if its pattern has none."""
    return match.span("secret") if "secret" in match.re.groupindex else match.span()


@dataclass(frozen=True, kw_only=True)
class SecretPattern:
    """One kind of secret."""

    group: SecretGroup

    label: str
    """What it recognizes, for people."""

    regex: re.Pattern[str]

    anchor: str = ""
    """A text that every match contains: without it the pattern is not tried."""

    locate: Callable[[re.Match[str]], Span | None] = locate_secret
    """Returns where the secret of a match is; None if it is none after all."""


def _locate_mixed_key(match: re.Match[str]) -> Span | None:
    """Return the span of a key with digits; a CSS class such as `sk-fading-circle-container` has none."""
    parts = re.split(r"[-_]", match[0])
    return match.span() if any(len(part) >= 12 and re.search(r"\d", part) for part in parts) else None


def _locate_basic_credentials(match: re.Match[str]) -> Span | None:
    """Return the span of `user:password` in base64; "Basic information" is none."""
    value = match["secret"]
    try:
        decoded = base64.b64decode(value + "=" * (-len(value) % 4), validate=True)
    except ValueError:
        return None
    return match.span("secret") if b":" in decoded else None


def _locate_bearer(match: re.Match[str]) -> Span | None:
    value = match["secret"].rstrip(".")
    if re.search(r"\d", value) or "." in value or len(value) >= 24 or (len(value) >= 16 and not value.islower()):
        return match.start("secret"), match.start("secret") + len(value)
    return None


def _locate_jwt(match: re.Match[str]) -> Span | None:
    """Return the part of a dotted run from the header on, which may be glued to a word before it."""
    start = match[0].find("eyJ")
    parts = match[0][start:].split(".")
    if start < 0 or len(parts) < 2 or len(parts[0]) < 12 or len(parts[1]) < 4:
        return None
    return match.start() + start, match.end()


def _locate_url_token(match: re.Match[str]) -> Span | None:
    """Return the span of a value with letters and digits, or with letters of both cases; `?key=customer` is none."""
    value = match["secret"]
    kinds = [bool(re.search(pattern, value)) for pattern in (r"[a-z]", r"[A-Z]", r"\d")]
    return match.span("secret") if sum(kinds) >= 2 else None


def _locate_parameter(match: re.Match[str]) -> Span | None:
    return None if is_placeholder(match["secret"]) else match.span("secret")


def _build_vendor_key(
    label: str, anchor: str, regex: str, locate: Callable[[re.Match[str]], Span | None] = locate_secret
) -> SecretPattern:
    return SecretPattern(
        group=SecretGroup.VENDOR_KEY, label=label, anchor=anchor, regex=re.compile(regex), locate=locate
    )


_NO_WORD_BEFORE = r"(?<![A-Za-z0-9])"

_VENDOR_KEYS = (
    *(
        _build_vendor_key("AWS access key", anchor, rf"{anchor}[0-9A-Z]{{16}}")
        for anchor in ("AKIA", "ASIA", "ABIA", "ACCA", "AROA", "AIDA")
    ),
    _build_vendor_key("AWS access key", "A3T", r"A3T[A-Z0-9][0-9A-Z]{16}"),
    _build_vendor_key("Google API key", "AIza", r"(?<![A-Za-z0-9+/])AIza[\w-]{30,}+"),
    _build_vendor_key("Google OAuth client secret", "GOCSPX-", r"GOCSPX-[\w-]{20,}+"),
    _build_vendor_key("Google OAuth access token", "ya29.", r"ya29\.[\w.-]{20,}+"),
    _build_vendor_key("Google OAuth refresh token", "1//", r"(?<![\w/:])1//[\w-]{20,}+"),
    _build_vendor_key(
        "OpenAI, Anthropic or similar key", "sk-", rf"{_NO_WORD_BEFORE}sk-[\w-]{{20,}}+", _locate_mixed_key
    ),
    _build_vendor_key("OpenAI key", "T3BlbkFJ", r"sk-[A-Za-z0-9_-]{20,}+"),
    _build_vendor_key("GitHub token", "gh", r"gh[pousr]_[A-Za-z0-9_]{36,}+"),
    _build_vendor_key("GitHub fine-grained token", "github_pat_", r"github_pat_\w{22,}+"),
    _build_vendor_key("GitLab token", "gl", r"gl(?:pat|dt|ft|soat|rt|cbt|imt|ptt|agent|oas|ffct)-[\w.-]{20,}+"),
    _build_vendor_key("GitLab runner registration token", "GR1348941", r"GR1348941[\w-]{20,}+"),
    _build_vendor_key("Slack token", "xox", r"(?i:xox[abeoprs])-(?:[A-Za-z0-9]{1,64}+-){1,8}+[A-Za-z0-9]{6,}+"),
    _build_vendor_key("Slack app token", "xapp-", r"xapp-(?:[A-Za-z0-9]{1,64}+-){1,8}+[A-Za-z0-9]{6,}+"),
    _build_vendor_key(
        "Slack webhook",
        "hooks.slack.com",
        r"(?i:hooks\.slack\.com/(?:services|workflows|triggers)/)(?P<secret>\w{1,64}+/\w{1,64}+/\w{4,}+)",
    ),
    _build_vendor_key(
        "Discord webhook", "/api/webhooks/", r"discord(?:app)?\.com/api/webhooks/(?P<secret>\d{5,24}+/[\w-]{20,}+)"
    ),
    _build_vendor_key("Discord bot token", ".", r"(?<![\w-])[MNO][A-Za-z\d_-]{23,25}\.[\w-]{6}\.[\w-]{27,}+"),
    _build_vendor_key("Stripe key", "k_", r"[rs]k_(?:live|test)_[0-9a-zA-Z]{10,}+"),
    _build_vendor_key("Stripe webhook secret", "whsec_", r"whsec_[A-Za-z0-9+/=]{20,}+"),
    _build_vendor_key("Twilio id or key", "AC", r"AC[a-z0-9]{32}"),
    _build_vendor_key("Twilio key", "SK", r"SK[a-z0-9]{32}"),
    _build_vendor_key("SendGrid key", "SG.", r"SG\.[\w-]{16,64}+\.[\w-]{16,}+"),
    _build_vendor_key("Mailgun key", "key-", rf"{_NO_WORD_BEFORE}key-[0-9a-f]{{32}}"),
    _build_vendor_key("Mailchimp key", "-us", r"(?<![0-9a-z])[0-9a-z]{32}-us\d{1,2}"),
    _build_vendor_key("npm token", "npm_", r"npm_[A-Za-z0-9]{30,}+"),
    _build_vendor_key("PyPI token", "pypi-", r"pypi-Ag[\w-]{40,}+"),
    _build_vendor_key("Hugging Face token", "hf_", rf"{_NO_WORD_BEFORE}hf_[A-Za-z0-9]{{30,}}+"),
    _build_vendor_key("Replicate token", "r8_", rf"{_NO_WORD_BEFORE}r8_[A-Za-z0-9]{{30,}}+"),
    _build_vendor_key("Groq key", "gsk_", rf"{_NO_WORD_BEFORE}gsk_[A-Za-z0-9]{{40,}}+"),
    _build_vendor_key("xAI key", "xai-", rf"{_NO_WORD_BEFORE}xai-[A-Za-z0-9]{{40,}}+"),
    _build_vendor_key("Perplexity key", "pplx-", r"pplx-[A-Za-z0-9]{40,}+"),
    _build_vendor_key("Databricks token", "dapi", r"dapi[0-9a-f]{32}(?:-\d)?"),
    _build_vendor_key("DigitalOcean token", "_v1_", r"do[opr]_v1_[0-9a-f]{40,}+"),
    _build_vendor_key("Shopify token", "shp", r"shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}"),
    _build_vendor_key("Square token", "sq0", r"sq0[a-z]{3}-[\w-]{22,}+"),
    _build_vendor_key("Square access token", "EAAA", r"(?<![A-Za-z0-9+/])EAAA[\w-]{60}(?![\w+/])"),
    _build_vendor_key("PlanetScale token", "pscale_", r"pscale_(?:tkn|pw|oauth)_[\w.=-]{30,}+"),
    _build_vendor_key("Linear key", "lin_api_", r"lin_api_[A-Za-z0-9]{30,}+"),
    _build_vendor_key("Notion token", "ntn_", rf"{_NO_WORD_BEFORE}ntn_[A-Za-z0-9]{{40,}}+"),
    _build_vendor_key("Airtable token", "pat", rf"{_NO_WORD_BEFORE}pat[A-Za-z0-9]{{14}}\.[0-9a-f]{{40,}}+"),
    _build_vendor_key("Atlassian token", "ATATT3", r"ATATT3[\w=-]{40,}+"),
    _build_vendor_key("Figma token", "figd_", r"figd_[\w-]{30,}+"),
    _build_vendor_key("Grafana token", "gl", r"gl(?:c|sa)_[A-Za-z0-9+/=_]{30,}+"),
    _build_vendor_key("Vault token", "hv", r"(?<![\w.])hv[sbr]\.[\w-]{24,}+"),
    _build_vendor_key("Terraform token", ".atlasv1.", r"[A-Za-z0-9]{14}\.atlasv1\.[\w=-]{40,}+"),
    _build_vendor_key("Heroku key", "HRKU-", r"HRKU-[\w-]{30,}+"),
    _build_vendor_key("New Relic key", "NRAK-", r"NRAK-[A-Z0-9]{20,}+"),
    _build_vendor_key("Sentry token", "sntry", r"sntry[su]_[\w+/=]{30,}+"),
    _build_vendor_key("Postman key", "PMAK-", r"PMAK-[0-9a-f]{24}-[0-9a-f]{34}"),
    _build_vendor_key("Telegram bot token", ":", r"(?<!\d)\d{8,10}:[\w-]{35}"),
    _build_vendor_key("Doppler token", "dp.", rf"{_NO_WORD_BEFORE}dp\.(?:pt|st|ct|sa|scim|audit)\.[\w.]{{30,}}+"),
    _build_vendor_key("Docker token", "dckr_pat_", r"dckr_pat_[\w-]{20,}+"),
    _build_vendor_key("age key", "AGE-SECRET-KEY-1", r"AGE-SECRET-KEY-1[0-9A-Z]{40,}+"),
    _build_vendor_key("RubyGems key", "rubygems_", r"rubygems_[0-9a-f]{40,}+"),
    _build_vendor_key("Supabase key", "sb", rf"{_NO_WORD_BEFORE}sb(?:p|_secret)_[\w-]{{30,}}+"),
    _build_vendor_key("Tailscale key", "tskey-", r"tskey-[a-z]{3,12}-[\w-]{16,}+"),
    _build_vendor_key("Netlify token", "nfp_", rf"{_NO_WORD_BEFORE}nfp_[A-Za-z0-9]{{30,}}+"),
    _build_vendor_key("Pulumi token", "pul-", rf"{_NO_WORD_BEFORE}pul-[0-9a-f]{{40}}"),
    _build_vendor_key("LangSmith key", "lsv2_", r"lsv2_(?:pt|sk)_[0-9a-f]{32}_[0-9a-f]{10}"),
    _build_vendor_key("Pinecone key", "pcsk_", r"pcsk_\w{40,}+"),
    _build_vendor_key("Tavily key", "tvly-", r"tvly-[\w-]{28,}+", _locate_mixed_key),
    _build_vendor_key("Alibaba access key", "LTAI", rf"{_NO_WORD_BEFORE}LTAI[A-Za-z0-9]{{16,}}+"),
    _build_vendor_key("Tencent secret id", "AKID", rf"{_NO_WORD_BEFORE}AKID[A-Za-z0-9]{{28,}}+"),
    _build_vendor_key("Azure client secret", "Q~", r"(?<![\w~.-])[\w~.-]{3}\dQ~[\w~.-]{28,}+"),
    _build_vendor_key("Artifactory key", "AKC", r"(?:(?<=[\s=:\"])|^)AKC[a-zA-Z0-9]{10,}+"),
    _build_vendor_key("Artifactory password", "AP", r"(?:(?<=[\s=:\"])|^)AP[\dA-F][a-zA-Z0-9]{8,256}+(?=[\s\"]|$)"),
    _build_vendor_key(
        "SoftLayer key", "softlayer.com", r"(?i:softlayer\.com/soap/v3(?:\.1)?/)(?P<secret>[a-z0-9]{64})"
    ),
    _build_vendor_key(
        "IBM or SoftLayer key",
        "",
        r"(?i:(?<![A-Za-z0-9])(?:key|pwd|password|pass|token)[\"']?\]?[ ]{0,8}(?:=>|:=|::|[:=]|[ ])[ ]{0,8}[\"']?)"
        r"(?P<secret>[\w-]{44}|[a-z0-9]{64})(?![\w-])",
        lambda match: _locate_url_token(match) if not re.fullmatch("[0-9a-f]{64}", match["secret"]) else None,
    ),
)

_DASHES = "-----"
_KEY_KIND = r"(?:(?:RSA|EC|DSA|OPENSSH|ENCRYPTED|PGP|SSH2 ENCRYPTED|ANY) )?PRIVATE KEY(?: BLOCK)?"

_PRIVATE_KEYS = (
    SecretPattern(
        group=SecretGroup.PRIVATE_KEY,
        label="private key in PEM or PGP armor, complete or cut off",
        anchor="PRIVATE KEY",
        regex=re.compile(
            # Complete: up to the END line; cut off: the lines in base64 that follow.
            rf"{_DASHES}BEGIN {_KEY_KIND}{_DASHES}"
            rf"(?:(?:[^-]|-(?!----)){{1,16384}}+{_DASHES}END {_KEY_KIND}{_DASHES}"
            r"|(?:(?:\\{1,8}+[nr]|[\s\"'+]){1,80}+[A-Za-z0-9+/=]{16,}+)*+)"
        ),
    ),
    SecretPattern(
        group=SecretGroup.PRIVATE_KEY,
        label="PuTTY key file",
        anchor="PuTTY-User-Key-File-",
        regex=re.compile(r"PuTTY-User-Key-File-\d(?s:.)*+"),
    ),
)

_TOKEN_CHARS = "A-Za-z0-9_="  # noqa: S105 - a character class

_JWTS = (
    SecretPattern(
        group=SecretGroup.JWT,
        label="signed or unsigned JSON Web Token",
        anchor="eyJ",
        regex=re.compile(
            rf"(?<![{_TOKEN_CHARS}-])[{_TOKEN_CHARS}-]{{12,16384}}+(?:\.[{_TOKEN_CHARS}-]{{0,16384}}+){{1,4}}+"
        ),
        locate=_locate_jwt,
    ),
)

_USER_PART = r"[^\s/?#@:\"'<>`]"
_PASSWORD_PART = r"[^\s/?#@\"'<>`]"  # noqa: S105 - a character class

_URLS = (
    SecretPattern(
        group=SecretGroup.URL,
        label="password in a URL",
        anchor="://",
        regex=re.compile(
            rf"://{_USER_PART}{{0,256}}+:(?P<secret>{_PASSWORD_PART}{{1,512}}+"
            rf"(?:@(?={_PASSWORD_PART}{{1,256}}+@){_PASSWORD_PART}{{1,256}}+){{0,4}}+)@"
        ),
        locate=_locate_parameter,
    ),
    SecretPattern(
        group=SecretGroup.URL,
        label="token as the user of a URL",
        anchor="://",
        regex=re.compile(r"://(?P<secret>[\w.~-]{16,256}+)(?::x-oauth-basic)?@"),
        locate=_locate_url_token,
    ),
    SecretPattern(
        group=SecretGroup.URL,
        label="key or signature in a query",
        anchor="=",
        regex=re.compile(
            r"(?i:(?<=[?&;])(?:amp;)?(?:sig|key|signature|x-amz-signature|x-goog-signature|x-amz-security-token"
            r"|hmac|auth|code|api[_-]?key|subscription-key)=)(?P<secret>[^\s&\"'<>`\\)\]]{8,}+)"
        ),
        locate=_locate_url_token,
    ),
    SecretPattern(
        group=SecretGroup.URL,
        label="signature of a shared access string",
        anchor="sig=",
        regex=re.compile(r"(?<![A-Za-z0-9])sig=(?P<secret>[A-Za-z0-9%+/=_-]{20,}+)"),
        locate=_locate_url_token,
    ),
)


def _build_header(
    label: str, regex: str, anchor: str = "", locate: Callable[[re.Match[str]], Span | None] = locate_secret
):
    return SecretPattern(group=SecretGroup.HEADER, label=label, regex=re.compile(regex), anchor=anchor, locate=locate)


_HEADERS = (
    _build_header("bearer token", r"(?i:(?<!\w)bearer)[ \t]{1,8}+(?P<secret>[\w.~+/=-]{8,}+)", locate=_locate_bearer),
    _build_header(
        "basic credentials",
        r"(?i:(?<!\w)basic)[ \t]{1,8}+(?P<secret>[A-Za-z0-9+/]{6,1024}+={0,2})",
        locate=_locate_basic_credentials,
    ),
    _build_header(
        "user and password of curl", r"(?<!\S)(?:-u|--user)[ =]{0,4}[\"']?[^\s:\"']{1,128}+:(?P<secret>[^\s\"']++)"
    ),
    _build_header("password of sshpass", r"sshpass -p[ ]?[\"']?(?P<secret>[^\s\"']{1,}+)", "sshpass"),
    _build_header(
        "password of mysql",
        r"mysql(?:dump|admin)?(?: (?!-p)[^\s]{1,64}+){0,8}+ -p(?P<secret>[^\s\"'-][^\s]*+)",
        "mysql",
    ),
    _build_header(
        "password of a login in .netrc", r"login[ \t]\S{1,128}+\s{1,8}+password[ \t](?P<secret>\S{1,}+)", "password"
    ),
    _build_header(
        "auth tuple of a client",
        r"(?<!\w)auth ?= ?\( ?[\"'][^\"'\s]{1,128}+[\"'], ?[\"'](?P<secret>[^\"']{1,}+)",
        "auth",
    ),
)

_NAME = r"(?P<name>[^\W\d][\w-]{0,127}+)"
_FORM_LINES = (
    rf"[ \t]{{0,16}}+(?:[A-Za-z]{{1,20}}+ )?{_NAME}[ \t]{{0,16}}+\r?\n"
    # Looked at but not consumed: it may be the next name.
    r"[ \t]{0,32}+(?=(?P<secret>\S{6,256}+)(?:\s|$))"
)


def _build_named(
    label: str, regex: str, locate: Callable[[re.Match[str]], Span | None], anchor: str = ""
) -> SecretPattern:
    return SecretPattern(
        group=SecretGroup.NAMED_VALUE, label=label, regex=re.compile(regex), locate=locate, anchor=anchor
    )


_NAMED_VALUES = (
    _build_named(
        'name with a value, at any depth: `password=x`, `"token": "x"`, a value on the next line',
        rf"(?<!\w){_NAME}(?:\\{{0,8}}[\"'`])?(?:\]|%5D)?[ \t]{{0,16}}+(?P<operator>:=|=>|={{1,3}}|!=|:(?!//|:))",
        locate_assigned_value,
    ),
    _build_named(
        "name of two words in a form: `API key` on a line, its value on the next",
        rf"(?<=\n){_FORM_LINES}",
        locate_random_value,
        "\n",
    ),
    _build_named(
        "the same at the beginning of a text",
        rf"\A{_FORM_LINES}",
        locate_random_value,
        "\n",
    ),
    _build_named(
        "in a sentence: `the password is x`",
        rf"(?<!\w){_NAME} (?:is|was|to|as|has been set to|equals)[ :]{{1,2}}[\"'`]?(?P<secret>[^\s\"'`]{{6,}}+)",
        locate_random_value,
        " ",
    ),
    _build_named(
        "option of a command: `--token x`",
        rf"(?<!\S)--?{_NAME}[ \t]{{1,8}}+[\"']?(?P<secret>[^\s\"'-][^\s\"']*+)",
        locate_random_value,
        "-",
    ),
    _build_named(
        'pair: `("token", "x")`',
        rf"[\"']{_NAME}\\{{0,8}}[\"'], ?\\{{0,8}}[\"'](?P<secret>[^\"'\\]{{1,}}+)",
        locate_random_value,
        ",",
    ),
    _build_named(
        "element: `<password>x</password>`",
        rf"<(?:\w{{1,32}}:)?{_NAME}>(?P<secret>[^<>]{{1,512}}+)</",
        locate_named_value,
        "</",
    ),
    _build_named(
        "entry with `name` and `value`",
        r"(?<!\w)(?:name|key|Name|Key)\\{0,8}[\"']?\s{0,4}+[:=]\s{0,4}+\\{0,8}[\"']?"
        rf"{_NAME}\\{{0,8}}[\"']?,?\s{{1,64}}+\\{{0,8}}[\"']?(?:value|Value)\\{{0,8}}[\"']?\s{{0,4}}+[:=]\s{{0,4}}+"
        r"(?P<secret>[^\s\"',}<>\\][^\s\"',}<>]*+|\\{0,8}\"[^\"]{1,4096}+|\\{0,8}'[^']{1,4096}+)",
        locate_named_value,
        "alue",
    ),
    _build_named(
        "variable of a Dockerfile or of Windows",
        rf"(?<!\S)(?:ENV|ARG|setx)[ \t]{{1,4}}+{_NAME}[ \t]{{1,4}}+[\"']?(?P<secret>[^\s\"']{{1,}}+)",
        locate_named_value,
    ),
)

SECRET_PATTERNS: Final[tuple[SecretPattern, ...]] = (
    *_VENDOR_KEYS,
    *_PRIVATE_KEYS,
    *_JWTS,
    *_URLS,
    *_HEADERS,
    *_NAMED_VALUES,
)
"""Every kind of secret that has a pattern."""

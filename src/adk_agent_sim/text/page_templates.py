"""Loads the templates of pages and drawings, in the folders `templates` of the packages; all values are escaped."""

from __future__ import annotations

import re
from base64 import b64encode
from functools import cache
from hashlib import sha256
from typing import Any, NamedTuple

from jinja2 import ChoiceLoader, Environment, PackageLoader, StrictUndefined, Template
from markupsafe import Markup

_INVISIBLE = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ud800-\udfff\ufeff\ufffe\uffff]"
)
"""Characters that are not shown, change the order of others, or are invalid in XML."""


class _Asset(NamedTuple):
    """A style or a script that is part of a page."""

    text: Markup

    sha256: str
    """Its hash, by which a page's policy allows it."""


@cache
def load_template(package: str, name: str) -> Template:
    """Return a template, which can use those of `text/` too.

    Args:
        package: The package below this one that has it, such as `bench`.
        name: Its file.
    """
    root = __name__.partition(".")[0]
    loader = ChoiceLoader([PackageLoader(f"{root}.{package}"), PackageLoader(f"{root}.text")])
    environment = Environment(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_replace_in_value,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.policies["json.dumps_kwargs"] = {"ensure_ascii": False, "separators": (",", ":"), "allow_nan": False}

    def read_asset(name: str) -> _Asset:
        # A browser hashes the page after it has read all line ends as \n.
        text = loader.get_source(environment, name)[0].replace("\r\n", "\n")
        # Files of our own packages are the only text that is not escaped.
        return _Asset(Markup(text), b64encode(sha256(text.encode()).digest()).decode())  # noqa: S704

    return environment.get_template(name, globals={"read_asset": read_asset})


def replace_invisible(text: str) -> str:
    """Return a text with a visible mark in place of each character that is not shown or reorders others."""
    return _INVISIBLE.sub("\N{REPLACEMENT CHARACTER}", text)


def _replace_in_value(value: Any) -> Any:
    """Return what is shown of a value; results of macros have been through this."""
    return replace_invisible(value) if isinstance(value, str) and not isinstance(value, Markup) else value

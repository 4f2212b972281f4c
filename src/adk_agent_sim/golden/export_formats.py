"""The formats a session can be exported to: the one table that Python, the command line and the browser read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

ExportFormatName: TypeAlias = Literal["evalset", "adk-test", "jsonl", "markdown"]
"""How a format is spelled everywhere: in Python, after `--format`, in the web API."""


@dataclass(frozen=True, kw_only=True)
class ExportFormat:
    """One format a session can be exported to."""

    name: ExportFormatName

    label: str
    """What a person reads in a list of formats."""

    extension: str
    """How the names of its files end."""

    requirement: str
    """What a session needs before it can be exported; empty if every session can be."""

    is_redactable: bool
    """Whether secrets can be removed on request; a format that must be replayed or read back exactly cannot."""

    is_appended: bool
    """Whether a session is added to the file, rather than replacing it."""


_ALL = (
    ExportFormat(
        name="evalset",
        label="EvalSet case for `adk eval`",
        extension=".evalset.json",
        requirement="a finished turn",
        is_redactable=True,
        is_appended=True,
    ),
    ExportFormat(
        name="adk-test",
        label="Fixture for `adk test`",
        extension=".json",
        requirement="a finished turn that `adk test` can replay",
        is_redactable=False,
        is_appended=False,
    ),
    ExportFormat(
        name="jsonl",
        label="Timeline as JSON Lines",
        extension=".jsonl",
        requirement="",
        is_redactable=False,
        is_appended=False,
    ),
    ExportFormat(
        name="markdown",
        label="Report in Markdown",
        extension=".md",
        requirement="",
        is_redactable=True,
        is_appended=False,
    ),
)

EXPORT_FORMATS: Final[Mapping[ExportFormatName, ExportFormat]] = MappingProxyType({each.name: each for each in _ALL})
"""All formats by name, in the order in which people are offered them."""

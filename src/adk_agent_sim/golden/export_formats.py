"""The table of the formats that a session can be exported to, used by Python, the command line and the browser."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal, TypeAlias

from adk_agent_sim.timeline.file_names import to_file_stem

ExportFormatName: TypeAlias = Literal["evalset", "adk-test", "jsonl", "markdown"]
"""The name of a format in Python, after `--format` and in the web API."""


@dataclass(frozen=True, kw_only=True)
class ExportFormat:
    """One format a session can be exported to."""

    name: ExportFormatName

    label: str
    """The label in a list of formats."""

    extension: str
    """The extension of its files."""

    requirement: str
    """What a session must have to be exported; empty if every session can be."""

    is_redactable: bool
    """Whether secrets can be removed; a format that must be replayed exactly cannot."""

    is_redacted_by_default: bool
    """Whether they are removed unless that is turned off."""

    is_appended: bool
    """Whether a session is added to the file, rather than replacing it."""

    is_golden_trace: bool
    """Whether it is ground truth, which a session becomes once, when it is finished; others may be written often."""


_ALL = (
    ExportFormat(
        name="evalset",
        label="EvalSet case for `adk eval`",
        extension=".evalset.json",
        requirement="a finished turn",
        is_redactable=True,
        is_redacted_by_default=False,
        is_appended=True,
        is_golden_trace=True,
    ),
    ExportFormat(
        name="adk-test",
        label="Fixture for `adk test`",
        extension=".json",
        requirement="a finished turn that `adk test` can replay",
        is_redactable=False,
        is_redacted_by_default=False,
        is_appended=False,
        is_golden_trace=True,
    ),
    ExportFormat(
        name="jsonl",
        label="Timeline as JSON Lines",
        extension=".jsonl",
        requirement="",
        is_redactable=True,
        is_redacted_by_default=False,
        is_appended=False,
        is_golden_trace=False,
    ),
    ExportFormat(
        name="markdown",
        label="Report in Markdown",
        extension=".md",
        requirement="",
        is_redactable=True,
        is_redacted_by_default=True,
        is_appended=False,
        is_golden_trace=False,
    ),
)

EXPORT_FORMATS: Final[Mapping[ExportFormatName, ExportFormat]] = MappingProxyType({each.name: each for each in _ALL})
"""All formats by name, in the order of lists."""


def build_eval_set_name(agent_name: str) -> str:
    """Return the name of the EvalSet that the sessions of an agent are exported to by default."""
    return f"{to_file_stem(agent_name)}{EXPORT_FORMATS['evalset'].extension}"

"""The renderers of the export formats that are text made from a session's events alone.

They get the whole log, with what was undone, and without secrets if those are to be removed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Final, TypeAlias

from adk_agent_sim.golden.export_formats import ExportFormatName
from adk_agent_sim.golden.markdown_report import render_markdown_report
from adk_agent_sim.timeline.events import Event

TextRenderer: TypeAlias = Callable[[Sequence[Event]], str]

TEXT_RENDERERS: Final[Mapping[ExportFormatName, TextRenderer]] = {
    "markdown": partial(render_markdown_report, redact=False),
}

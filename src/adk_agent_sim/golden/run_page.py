"""Renders a run of an agent as one page of HTML: the result, facts, the verdict, and everything that happened.

The page loads nothing and runs no scripts. All texts come from scenarios, cases, agents and tools: they are escaped,
and secrets are removed from them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from adk_agent_sim.text.page_templates import load_template
from adk_agent_sim.timeline.redaction.redactor import Redactor

PageOutcome: TypeAlias = Literal["passed", "failed", "error", "not judged"]

_MAX_TEXT = 4_000
"""The most characters of one text that the page shows."""


@dataclass(frozen=True, kw_only=True)
class PageRow:
    """One thing that happened."""

    when: str

    actor: str
    """Who did it; AGENT, USER and ENV have colours."""

    call: str

    result: str

    has_failed: bool = False

    mark: str = ""
    """What is special about the call, such as the rule that answered it."""


@dataclass(frozen=True, kw_only=True)
class RunPage:
    """What a page shows; texts as they are, neither escaped nor redacted."""

    title: str

    outcome: PageOutcome

    reason: str

    facts: Mapping[str, Any]

    sections: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    """Blocks of text below headings."""

    when_label: str

    rows: Iterable[PageRow]


def render_run_page(page: RunPage, redactor: Redactor) -> str:
    """Return the HTML of a page.

    Args:
        page: What it shows.
        redactor: Removes secrets; it has learned those of the run.
    """

    def show(text: str) -> str:
        shown = redactor.redact_text(text)
        more = len(shown) - _MAX_TEXT
        return shown if more <= 0 else f"{shown[:_MAX_TEXT]} ... ({more} more characters)"

    return load_template("golden", "run_page.html.j2").render(page=page, show=show)

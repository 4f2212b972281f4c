"""Renders a run of an agent as one page of HTML: the result, facts, the verdict, and everything that happened.

The page loads nothing and runs no scripts. All texts come from scenarios, cases, agents and tools: they are escaped,
and secrets are removed from them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any, Literal, TypeAlias

from adk_agent_sim.text.html_escaping import escape_html
from adk_agent_sim.timeline.redaction.redactor import Redactor

PageOutcome: TypeAlias = Literal["passed", "failed", "error", "not judged"]

_MAX_TEXT = 4_000
"""The most characters of one text that the page shows."""

_CLASSES: Mapping[PageOutcome, str] = {
    "passed": "passed",
    "failed": "failed",
    "error": "failed",
    "not judged": "unknown",
}

_STYLE = """
:root { color-scheme: light dark; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
.passed { color: #1a7f37; } .failed { color: #cf222e; } .unknown { color: #9a6700; }
table { border-collapse: collapse; width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .3rem .6rem; border-bottom: 1px solid #8884; }
td.time { white-space: nowrap; font-variant-numeric: tabular-nums; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; margin: 0; font: 13px/1.45 ui-monospace, monospace; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: .2rem 1rem; } dd { margin: 0; }
p.mark { margin: .2rem 0 0; padding-left: .5rem; border-left: 3px solid #8250df; overflow-wrap: anywhere; }
tr.AGENT { background: #fef3c722; } tr.USER { background: #dbeafe22; } tr.ENV { background: #dcfce722; }
"""


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
    return "\n".join(_PageRenderer(redactor).iter_lines(page)) + "\n"


class _PageRenderer:
    def __init__(self, redactor: Redactor) -> None:
        self._redactor = redactor

    def iter_lines(self, page: RunPage) -> Iterator[str]:
        title = self._escape(page.title)
        yield "<!doctype html>"
        yield '<html lang="en"><head><meta charset="utf-8">'
        # Even if a text were to escape, nothing could be loaded or run.
        yield "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
        yield f"<title>{title}</title><style>{_STYLE}</style></head><body>"
        yield f'<h1>{title}: <span class="{_CLASSES[page.outcome]}">{page.outcome}</span></h1>'
        if page.reason:
            yield f"<p>{self._escape(page.reason)}</p>"
        yield "<dl>"
        for name, value in page.facts.items():
            yield f"<dt>{escape(name)}</dt><dd>{self._escape(str(value))}</dd>"
        yield "</dl>"
        for heading, blocks in page.sections.items():
            yield f"<h2>{escape(heading)}</h2>"
            yield from (f"<pre>{self._escape(block)}</pre>" for block in blocks)
        yield "<h2>What happened</h2>"
        yield (
            f"<table><thead><tr><th>{escape(page.when_label)}</th><th>Who</th><th>Call</th><th>Result</th></tr></thead>"
            "<tbody>"
        )
        yield from map(self._render_row, page.rows)
        yield "</tbody></table></body></html>"

    def _render_row(self, row: PageRow) -> str:
        kind = row.actor if row.actor in ("AGENT", "USER", "ENV") else "OTHER"
        css = ' class="failed"' if row.has_failed else ""
        mark = f'<p class="mark">{self._escape(row.mark)}</p>' if row.mark else ""
        return (
            f'<tr class="{kind}"><td class="time">{escape(row.when)}</td><td>{escape(row.actor)}</td>'
            f"<td><pre>{self._escape(row.call)}</pre>{mark}</td><td{css}><pre>{self._escape(row.result)}</pre></td></tr>"
        )

    def _escape(self, text: str) -> str:
        shown = self._redactor.redact_text(text)
        if len(shown) > _MAX_TEXT:
            shown = f"{shown[:_MAX_TEXT]} ... ({len(shown) - _MAX_TEXT} more characters)"
        return escape_html(shown)

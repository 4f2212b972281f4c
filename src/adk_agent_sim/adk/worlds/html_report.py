"""Renders a run in a world as one page of HTML: the result, the verdict, and everything that happened.

The page loads nothing and runs no scripts. All texts come from scenarios, agents and tools: they are escaped, and
secrets are removed from them.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from html import escape
from typing import Any, cast

from adk_agent_sim.adk.worlds.run_result import WorldRunResult
from adk_agent_sim.scenario.verdict.verdict_text import render_verdict
from adk_agent_sim.scenario.world.event_log import CompletedEvent
from adk_agent_sim.scenario.world.world import World
from adk_agent_sim.text.html_escaping import escape_html
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.redaction.redactor import Redactor

_MAX_TEXT = 4_000
"""The most characters of one text that the page shows."""

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
tr.AGENT { background: #fef3c722; } tr.USER { background: #dbeafe22; } tr.ENV { background: #dcfce722; }
"""


def render_html_report(world: World, result: WorldRunResult) -> str:
    """Return the page.

    Args:
        world: The world after the run.
        result: What came of it.
    """
    return "\n".join(_HtmlPage(world, result).iter_lines()) + "\n"


class _HtmlPage:
    def __init__(self, world: World, result: WorldRunResult) -> None:
        self._world = world
        self._result = result
        self._redactor = Redactor()
        for event in world.event_log():
            self._redactor.learn_secrets(to_json_value({"arguments": dict(event.arguments), "result": event.value}))

    def iter_lines(self) -> Iterator[str]:
        title = self._escape(f"{self._result.metadata.agent_id} in {self._result.scenario_id}")
        yield "<!doctype html>"
        yield '<html lang="en"><head><meta charset="utf-8">'
        # Even if a text were to escape, nothing could be loaded or run.
        yield "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\">"
        yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
        yield f"<title>{title}</title><style>{_STYLE}</style></head><body>"
        yield f"<h1>{title}: {self._render_outcome()}</h1>"
        if self._result.reason:
            yield f"<p>{self._escape(self._result.reason)}</p>"
        yield from self._iter_facts()
        if self._result.verdict is not None:
            yield "<h2>Verdict</h2>"
            yield f"<pre>{self._escape(chr(10).join(render_verdict(self._result.verdict)))}</pre>"
        yield "<h2>What happened</h2>"
        yield "<table><thead><tr><th>Time</th><th>Who</th><th>Call</th><th>Result</th></tr></thead><tbody>"
        for event in self._world.event_log():
            yield self._render_event(event)
        yield "</tbody></table></body></html>"

    def _render_outcome(self) -> str:
        passed = self._result.passed
        if passed is None:
            return '<span class="unknown">not judged</span>'
        return '<span class="passed">passed</span>' if passed else '<span class="failed">failed</span>'

    def _iter_facts(self) -> Iterator[str]:
        result, metadata = self._result, self._result.metadata
        facts: dict[str, Any] = {
            "Agent": metadata.agent_id,
            "Model": metadata.model_id or "several",
            "Player of the model": metadata.player,
            "Run": metadata.run_number,
            "Seed": metadata.seed,
            "Thinking time": metadata.thinking,
            "Ended because": result.ended.value.replace("_", " "),
            "Model calls": result.step_count,
            "Calls of the world's tools": result.call_count,
            "Messages to the user": result.message_count,
            "Tokens": f"{result.prompt_tokens} in, {result.output_tokens} out",
            "Simulated time": f"{result.simulated_seconds:g} s",
            "Noise": json.dumps(dict(metadata.augmentations)) if metadata.augmentations else "none",
        }
        yield "<dl>"
        for name, value in facts.items():
            yield f"<dt>{escape(name)}</dt><dd>{self._escape(str(value))}</dd>"
        yield "</dl>"

    def _render_event(self, event: CompletedEvent) -> str:
        start = self._world.now - self._world.elapsed
        arguments = cast("dict[str, Any]", self._redactor.redact_value(to_json_value(dict(event.arguments))))
        call = json.dumps({key: value for key, value in arguments.items() if value is not None}, ensure_ascii=False)
        name = f"{event.app}__{event.function}" if event.function else event.event_id
        outcome = event.value or "" if event.error is None else f"{type(event.error).__name__}: {event.error}"
        kind = event.kind if event.kind in ("AGENT", "USER", "ENV") else "OTHER"
        css = ' class="failed"' if event.error is not None else ""
        return (
            f'<tr class="{kind}"><td class="time">+{round(event.time - start, 3):g} s</td>'
            f"<td>{escape(event.kind)}</td><td><pre>{self._escape(name)}\n{self._escape(call)}</pre></td>"
            f"<td{css}><pre>{self._escape(outcome)}</pre></td></tr>"
        )

    def _escape(self, text: str) -> str:
        shown = self._redactor.redact_text(text)
        if len(shown) > _MAX_TEXT:
            shown = f"{shown[:_MAX_TEXT]} ... ({len(shown) - _MAX_TEXT} more characters)"
        return escape_html(shown)

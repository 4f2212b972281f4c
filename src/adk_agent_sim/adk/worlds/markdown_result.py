"""Renders the result of a run in a world as sections of a Markdown report: the outcome, the verdict, what happened."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, cast

from adk_agent_sim.adk.worlds.run_result import WorldRunResult
from adk_agent_sim.golden.markdown_blocks import (
    render_code_block,
    render_inline_code,
    render_table,
    render_titled_block,
)
from adk_agent_sim.scenario.world.event_log import CompletedEvent
from adk_agent_sim.scenario.world.world import World
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.redaction.redactor import Redactor
from adk_agent_sim.timeline.verdict import render_verdict

_OUTCOMES = {True: "passed", False: "failed", None: "not judged"}


def render_markdown_result(world: World, result: WorldRunResult, redactor: Redactor) -> str:
    """Return the sections; secrets are masked, and texts of scenarios and agents are rendered as code."""
    metadata = result.metadata
    rows = [
        ("Scenario", render_inline_code(result.scenario_id)),
        ("Agent", render_inline_code(metadata.agent_id)),
        ("Model", render_inline_code(metadata.model_id)),
        ("Run", f"{metadata.run_number}, seed {metadata.seed}, thinking {metadata.thinking}"),
        ("Ended", result.ended.value.replace("_", " ")),
        ("Model calls", str(result.step_count)),
        ("Simulated time", f"{result.simulated_seconds:g} s"),
    ]
    sections = [f"# Run in a world: {_OUTCOMES[result.passed]}", render_table(rows)]
    if result.reason:
        sections.append(render_code_block(redactor.redact_text(result.reason)))
    if result.verdict is not None:
        lines = "\n".join(render_verdict(result.verdict))
        sections.append(render_titled_block("Verdict", render_code_block(redactor.redact_text(lines))))
    happened = render_code_block("\n".join(_render_events(world.event_log(), redactor, world.now - world.elapsed)))
    sections.append(render_titled_block("What happened in the world", happened))
    return "\n\n".join(sections) + "\n"


def _render_events(log: Sequence[CompletedEvent], redactor: Redactor, start: float) -> list[str]:
    lines: list[str] = []
    for event in log:
        arguments = cast("dict[str, Any]", redactor.redact_value(to_json_value(dict(event.arguments))))
        given = json.dumps({key: value for key, value in arguments.items() if value is not None}, ensure_ascii=True)
        name = f"{event.app}__{event.function}" if event.function else event.event_id
        failure = "" if event.error is None else f"  failed: {type(event.error).__name__}"
        lines.append(f"+{round(event.time - start, 3):g} s  {event.kind:<5}  {name}  {given}{failure}")
    return lines

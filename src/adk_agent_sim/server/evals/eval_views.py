"""Converts what is known about eval cases to the messages of the web API."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from adk_agent_sim.adk.evals.case_metrics import CaseScores, ComparedCall
from adk_agent_sim.adk.evals.recording_replay import Replay
from adk_agent_sim.golden.case_fields import CaseField
from adk_agent_sim.server.evals.api_models import (
    CaseCheckInfo,
    CaseFieldInfo,
    ComparedCallInfo,
    ComparedTurnInfo,
    MetricInfo,
    ReplayDifferenceInfo,
)
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.strict_json import dump_json

_MAX_VALUE_CHARS = 20_000
"""How much of a value that differs is sent: what it is, not all of it."""

_MAX_DIFFERENCES = 200
_MAX_LINE_CHARS = 70


def build_field_info(field: CaseField, schemas: Mapping[str, Mapping[str, Any]]) -> CaseFieldInfo:
    """Return a field as a person corrects it; `schemas` are those of the arguments of tools, by name."""
    schema = schemas.get(field.tool_name) if field.is_arguments else None
    return CaseFieldInfo(
        path=field.path,
        turn=field.turn,
        label=field.label,
        kind=field.kind,
        value=field.value if field.kind == "text" else _format_json(field.value),
        tool_name=field.tool_name,
        value_schema=None if schema is None else dict(schema),
    )


def build_check_info(source: str, replay: Replay | None, scores: CaseScores | None, problem: str) -> CaseCheckInfo:
    """Return what a replay or a comparison found.

    Args:
        source: What the case was compared with.
        replay: The replay; None if there was none.
        scores: The scores of it; None if there are none.
        problem: Why there are no scores.
    """
    differences = replay.comparison.differences[:_MAX_DIFFERENCES] if replay else ()
    return CaseCheckInfo(
        source=source,
        differences=[
            ReplayDifferenceInfo(
                message_number=each.message_number,
                agent_name=each.agent_name,
                what=each.what,
                recorded=_format_value(each.recorded),
                found=_format_value(each.found),
                call_id=each.call_id,
            )
            for each in differences
        ],
        notes=list(replay.notes) if replay else [],
        metrics=[
            MetricInfo(
                name=metric.name,
                threshold=metric.threshold,
                score=metric.score,
                is_passed=metric.is_passed,
                turn_scores=list(metric.turn_scores),
                note=metric.note,
            )
            for metric in (scores.metrics if scores else ())
        ],
        turns=[
            ComparedTurnInfo(
                calls=[_build_call(call) for call in turn.calls],
                expected_response=turn.expected_response[:_MAX_VALUE_CHARS],
                actual_response=turn.actual_response[:_MAX_VALUE_CHARS],
            )
            for turn in (scores.turns if scores else ())
        ],
        config_path=scores.config_path if scores else "",
        problem=problem,
    )


def _build_call(call: ComparedCall) -> ComparedCallInfo:
    return ComparedCallInfo(
        status=call.status,
        expected_name=call.expected["name"] if call.expected else "",
        expected_arguments=_format_value(call.expected["args"]) if call.expected else "",
        actual_name=call.actual["name"] if call.actual else "",
        actual_arguments=_format_value(call.actual["args"]) if call.actual else "",
    )


def _format_value(value: Json) -> str:
    text = _format_json(to_json_value(value))
    return text if len(text) <= _MAX_VALUE_CHARS else f"{text[:_MAX_VALUE_CHARS]}…"


def _format_json(value: Json) -> str:
    """Return a value on one line if it is short, else indented."""
    line = dump_json(value)
    return line if len(line) <= _MAX_LINE_CHARS else dump_json(value, indent=2)

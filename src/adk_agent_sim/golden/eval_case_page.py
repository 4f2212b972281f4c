"""The page of HTML about a run of an eval case: the result, what the case expects, and what the agent did instead."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from google.adk.evaluation.eval_case import EvalCase, Invocation, get_all_tool_calls
from google.genai import types

from adk_agent_sim.golden.eval_case_verdict import format_calls
from adk_agent_sim.golden.golden_trace_builder import split_user_turns
from adk_agent_sim.golden.rule_calls import find_rule_calls
from adk_agent_sim.golden.run_page import PageOutcome, PageRow, RunPage, render_run_page
from adk_agent_sim.timeline.events import Event
from adk_agent_sim.timeline.history import (
    FinalResponse,
    HistoryEntry,
    ToolCall,
    ToolError,
    ToolOutput,
    UserQuery,
    build_history,
)
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.redaction.redactor import Redactor


def render_case_page(
    case: EvalCase,
    log: Sequence[Event],
    *,
    agent_name: str,
    outcome: PageOutcome,
    reason: str,
    facts: Mapping[str, Any],
) -> str:
    """Return the page.

    Args:
        case: The case.
        log: The timeline of the run.
        agent_name: The agent that ran.
        outcome: The outcome of the run.
        reason: Why it did not pass.
        facts: Figures of the run, by their names.
    """
    redactor = Redactor()
    redactor.learn_secrets(to_json_value(case))
    for event in log:
        redactor.learn_event(event)
    turns = [_describe_turn(number, each) for number, each in enumerate(case.conversation or [], start=1)]
    page = RunPage(
        title=f"{agent_name} in {case.eval_id}",
        outcome=outcome,
        reason=reason,
        facts={"Agent": agent_name, **facts},
        sections={"What the case expects": turns},
        when_label="Turn",
        rows=_iter_rows(build_history(log), {each.call_id: each.mark for each in find_rule_calls(log)}, redactor),
    )
    return render_run_page(page, redactor)


def _describe_turn(number: int, invocation: Invocation) -> str:
    return "\n".join(
        (
            f"Turn {number}: {_read_text(invocation.user_content)}",
            f"  calls: {format_calls(get_all_tool_calls(invocation.intermediate_data))}",
            f"  response: {_read_text(invocation.final_response)}",
        )
    )


def _read_text(content: types.Content | None) -> str:
    return "".join(part.text or "" for part in (content.parts if content else None) or ())


def _iter_rows(entries: Sequence[HistoryEntry], marks: Mapping[str, str], redactor: Redactor) -> Iterator[PageRow]:
    results = {each.call_id: each for each in entries if isinstance(each, ToolOutput | ToolError)}
    for number, turn in enumerate(split_user_turns(entries), start=1):
        for entry in turn:
            match entry:
                case UserQuery():
                    yield PageRow(when=str(number), actor="USER", call="message", result=entry.content)
                case ToolCall():
                    row = _build_call_row(str(number), entry, results.get(entry.call_id), redactor)
                    yield replace(row, mark=marks.get(entry.call_id, ""))
                case FinalResponse():
                    yield PageRow(when=str(number), actor="AGENT", call="final response", result=entry.content)
                case _:  # results are beside their calls
                    pass


def _build_call_row(when: str, call: ToolCall, result: ToolOutput | ToolError | None, redactor: Redactor) -> PageRow:
    match result:
        case ToolOutput():
            text = json.dumps(redactor.redact_value(result.result), ensure_ascii=False)
        case ToolError():
            text = f"{result.error_type}: {result.error_message}"
        case None:
            text = "(no result)"
    arguments = json.dumps(redactor.redact_value(call.arguments), ensure_ascii=False)
    return PageRow(
        when=when,
        actor="AGENT",
        call=f"{call.tool_name}\n{arguments}",
        result=text,
        has_failed=not isinstance(result, ToolOutput),
    )

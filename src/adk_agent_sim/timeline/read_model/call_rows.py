"""The rows of tool calls: from the call, through a confirmation by the user, to the result that the model gets. Also
the rows of the requests by which ADK pauses an agent for input or a credential, and of the user's answers.

add_call --> RUNNING --request for confirmation--> CONFIRM --apply_consent--> RUNNING
                |                                     |
                |                                     +--cancel_confirmations--> CANCELLED
                +--apply_tool_event, apply_function_response--> DONE, FAILED, CANCELLED, DENIED
"""

from __future__ import annotations

from collections.abc import Mapping

from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.content_parts import as_mapping, as_text, unwrap_result
from adk_agent_sim.timeline.events import (
    EnvironmentDecided,
    Event,
    Player,
    ToolAnswered,
    ToolAsked,
    ToolFailed,
    ToolFinished,
    ToolStarted,
    ToolWithdrawn,
)
from adk_agent_sim.timeline.framework_calls import (
    MODEL_SEAT,
    REQUEST_CONFIRMATION,
    REQUEST_CREDENTIAL,
    SET_MODEL_RESPONSE,
    is_rejected_response,
    is_request_call,
    is_unknown_tool_response,
)
from adk_agent_sim.timeline.read_model.line_summary import summarize_arguments, summarize_text, summarize_value
from adk_agent_sim.timeline.read_model.pending_requests import PAUSE_KINDS
from adk_agent_sim.timeline.read_model.timeline_row import (
    OPEN_STATUSES,
    OpenRows,
    PendingConsent,
    RowKind,
    RowSource,
    RowStatus,
)


def add_call(rows: OpenRows, event: Event, part_index: int, call: Mapping[str, Json]) -> None:
    """Apply a function call of an agent's content: a tool call, or a request of ADK."""
    name, arguments, call_id = call.get("name") or "", as_mapping(call.get("args")), call.get("id") or ""
    if name == REQUEST_CONFIRMATION:
        _add_confirmation(rows, event, part_index, call_id, arguments)
    elif name in PAUSE_KINDS:
        _add_pause(rows, event, part_index, call)
    elif is_request_call(name):
        rows.add_row(event, RowKind.NOTE, name, summarize_arguments(arguments), part_index=part_index)
    else:
        _add_running_call(rows, event, name, arguments, call_id, part_index)


def _add_running_call(
    rows: OpenRows,
    event: Event,
    name: str,
    arguments: Mapping[str, Json],
    call_id: str,
    part_index: int | None = None,
) -> None:
    rows.call_rows[call_id] = rows.add_row(
        event,
        RowKind.CALL,
        name,
        summarize_arguments(arguments),
        part_index=part_index,
        status=RowStatus.RUNNING,
        call_id=call_id,
    )


def _add_confirmation(
    rows: OpenRows, event: Event, part_index: int, question_id: str, arguments: Mapping[str, Json]
) -> None:
    call = as_mapping(arguments.get("originalFunctionCall"))
    index = rows.call_rows.get(as_text(call.get("id")))
    rows.pending_consents[question_id] = PendingConsent(as_text(call.get("name")), index)
    if index is not None:
        rows.update_row(event, index, part_index=part_index, status=RowStatus.CONFIRM, result="", duration_ms=None)


def apply_consent(rows: OpenRows, event: Event, part_index: int, response: Mapping[str, Json]) -> None:
    """Apply a function response of the user: the answer to a confirmation, or to another request of ADK."""
    consent = rows.pending_consents.pop(response.get("id") or "", None)
    answer = response.get("response")
    if consent is None and _apply_pause_answer(rows, event, part_index, response):
        return
    if consent is None:
        name = response.get("name") or ""
        rows.add_row(event, RowKind.USER, name, summarize_value(answer), part_index=part_index)
        return
    approved = bool(as_mapping(answer).get("confirmed"))
    summary = "approved" if approved else "denied"
    rows.add_row(event, RowKind.CONSENT, consent.tool_name, summary, part_index=part_index)
    index = _find_waiting_row(rows, consent)
    if index is not None:
        rows.update_row(event, index, status=RowStatus.RUNNING, result="")
        if not approved:
            rows.denied_rows.add(index)


def _find_waiting_row(rows: OpenRows, consent: PendingConsent) -> int | None:
    """Return the row of the call if it still waits for the answer; a log of another program can end it before."""
    row = None if consent.row_index is None else rows.rows.get(consent.row_index)
    return row.index if row is not None and row.status is RowStatus.CONFIRM else None


def cancel_confirmations(rows: OpenRows, event: Event) -> None:
    """Cancel all pending confirmations: after a new query ADK no longer runs their calls."""
    for consent in rows.pending_consents.values():
        index = _find_waiting_row(rows, consent)
        if index is not None:
            rows.update_row(event, index, status=RowStatus.CANCELLED, result="not approved")
    rows.pending_consents.clear()
    _cancel_pauses(rows, event)


def apply_function_response(rows: OpenRows, event: Event, part_index: int, response: Mapping[str, Json]) -> None:
    """Apply what the model got for a call; this ends a call whose tool did not run, such as a denied one."""
    if response.get("name") != SET_MODEL_RESPONSE:
        rows.players.pop(event.agent_name, None)
    call_id = response.get("id") or ""
    index = rows.call_rows.get(call_id)
    if index is None or rows.rows[index].status is RowStatus.CONFIRM:
        return
    # The model has the result: nothing that follows belongs to this call.
    del rows.call_rows[call_id]
    if rows.rows[index].status is not RowStatus.RUNNING:
        rows.add_source(index, RowSource(event.seq, part_index))
        return
    answer = response.get("response")
    status = RowStatus.FAILED if _reports_failure(answer) else RowStatus.DONE
    if index in rows.denied_rows:
        rows.denied_rows.discard(index)
        status = RowStatus.DENIED
    rows.update_row(
        event,
        index,
        part_index=part_index,
        status=status,
        result=summarize_value(unwrap_result(answer)),
        is_unknown_tool=is_unknown_tool_response(rows.rows[index].subject, answer),
    )


def apply_tool_event(rows: OpenRows, event: Event, fact: ToolStarted | ToolFinished | ToolFailed) -> None:
    """Apply what happened to a tool's code."""
    index = rows.call_rows.get(fact.call_id)
    if index is not None and rows.rows[index].kind is RowKind.REQUEST:
        return  # a model asks the user by a tool, whose code only says that it has to wait
    if isinstance(fact, ToolStarted):
        if index is None or (not rows.has_agent_events and rows.rows[index].status not in OPEN_STATUSES):
            _add_running_call(rows, event, fact.tool_name, fact.arguments, fact.call_id)
        else:
            rows.update_row(event, index, status=RowStatus.RUNNING)
    elif index is not None:
        status, result = _describe_end(rows, index, fact)
        rows.update_row(event, index, status=status, result=result, duration_ms=fact.duration_ms)
        _forget_inner_call(rows, fact.call_id, index)


def _describe_end(rows: OpenRows, index: int, fact: ToolFinished | ToolFailed) -> tuple[RowStatus, str]:
    """Return the status of a call whose code has ended, and its result as one line."""
    if isinstance(fact, ToolFinished):
        status = RowStatus.FAILED if _is_failure(rows, index, fact) else RowStatus.DONE
        return status, summarize_value(fact.result)
    # `Cancelled` is what a person caused; asyncio's `CancelledError` means that the whole run was stopped.
    is_cancelled = fact.error_type in ("Cancelled", "CancelledError")
    return RowStatus.CANCELLED if is_cancelled else RowStatus.FAILED, summarize_text(_describe_tool_failure(fact))


def _is_failure(rows: OpenRows, index: int, finished: ToolFinished) -> bool:
    """Return whether a call has failed: its result says so, or it is a structured answer that ADK sent back."""
    if rows.rows[index].subject == SET_MODEL_RESPONSE:
        # An accepted answer is the result itself, and may well have a field called `error`.
        return is_rejected_response(finished.result, finished.actions)
    return index not in rows.denied_rows and _reports_failure(finished.result)


def _forget_inner_call(rows: OpenRows, call_id: str, index: int) -> None:
    """Drop a finished call of an agent inside a tool, whose results are not reported as events of their own."""
    if rows.has_agent_events and rows.rows[index].sources[0].part_index is None:
        del rows.call_rows[call_id]


def apply_tool_request(rows: OpenRows, event: Event, fact: ToolAsked | ToolAnswered | ToolWithdrawn) -> None:
    """Show that a person responds as the tool, or that nobody waits for the response any more."""
    index = rows.call_rows.get(fact.call_id)
    if index is None:
        return
    status = rows.rows[index].status
    if isinstance(fact, ToolWithdrawn):
        if status in OPEN_STATUSES:
            rows.update_row(event, index, status=RowStatus.CANCELLED, result=_ABANDONED)
    elif status is RowStatus.CANCELLED and isinstance(fact, ToolAsked):
        # The agent's process came back, and waits again.
        rows.update_row(event, index, status=RowStatus.RUNNING, result="", responder=Player.HUMAN.value)
    else:
        rows.update_row(event, index, responder=Player.HUMAN.value)


def apply_environment_decision(rows: OpenRows, event: Event, decided: EnvironmentDecided) -> None:
    """Show the rule that answers a call; empty if the tool itself answers. A model call gets a row of its own."""
    _add_tool_switches(rows, event, decided)
    if _is_profile_switch(decided):
        profile = decided.environment.get("profile")
        rows.add_row(event, RowKind.NOTE, "profile", f"{profile} is active" if profile else "no profile is active")
    if decided.tool_name == MODEL_SEAT:
        if decided.rule:
            summary = f"{decided.rule}: {', '.join(decided.actions)}"
            index = rows.add_row(event, RowKind.NOTE, "model fault", summary)
            rows.update_row(event, index, rule=summarize_text(decided.rule))
        return
    index = rows.call_rows.get(decided.call_id)
    if index is not None:
        rows.update_row(event, index, rule=summarize_text(decided.rule))


def _add_tool_switches(rows: OpenRows, event: Event, decided: EnvironmentDecided) -> None:
    """Add a row for each tool for which a person has chosen another player."""
    players = as_mapping(as_mapping(decided.environment).get("tool_players"))
    for tool, player in players.items():
        rows.add_row(event, RowKind.NOTE, "tool", f"{tool}: {_CHOSEN_PLAYERS.get(player, player)}, from now on")


_ABANDONED = "abandoned: the agent's process ended"
"""The result of a call that nobody waits for any more."""

_CHOSEN_PLAYERS = {
    "rules": "as the rules say",
    "real": "the tool itself responds",
    "schema": "mock schema responds",
    "stateful": "mock stateful responds",
    "llm": "mock llm responds",
    "replay": "mock replay responds",
    "human": "a person responds",
}
"""What the players are called on the timeline."""


def _is_profile_switch(decided: EnvironmentDecided) -> bool:
    """Tell whether another profile of the rules became active; the first decision of a session has the initial one."""
    environment = as_mapping(decided.environment)
    return "profile" in environment and (not decided.tool_name or "rules" not in environment)


def _reports_failure(result: Json) -> bool:
    """Tell whether a tool returned a failure: an error, as ADK and its examples write it, or MCP's `isError`."""
    fields = as_mapping(result)
    return bool(fields.get("error")) or fields.get("isError") is True or fields.get("status") == "error"


def _describe_tool_failure(failed: ToolFailed) -> str:
    if failed.error_type == "CancelledError":
        return "stopped with the run"
    return f"{failed.error_type}: {failed.error_message}" if failed.error_message else failed.error_type


def _add_pause(rows: OpenRows, event: Event, part_index: int, call: Mapping[str, Json]) -> None:
    """Add the row of a request; it waits for the user until it is answered, or given up."""
    name, arguments = as_text(call.get("name")), as_mapping(call.get("args"))
    call_id = as_text(call.get("id"))
    rows.call_rows[call_id] = rows.add_row(
        event,
        RowKind.REQUEST,
        PAUSE_KINDS[name].value,
        _describe_pause(name, arguments),
        part_index=part_index,
        status=RowStatus.CONFIRM,
        call_id=call_id,
    )


def _apply_pause_answer(rows: OpenRows, event: Event, part_index: int, response: Mapping[str, Json]) -> bool:
    """Apply the user's answer to a request; returns False if it answers none that waits."""
    call_id = as_text(response.get("id"))
    index = rows.call_rows.get(call_id)
    if index is None or rows.rows[index].kind is not RowKind.REQUEST:
        return False
    del rows.call_rows[call_id]
    result = summarize_value(unwrap_result(response.get("response")))
    rows.update_row(event, index, part_index=part_index, status=RowStatus.DONE, result=result)
    return True


def _cancel_pauses(rows: OpenRows, event: Event) -> None:
    """Cancel the requests that wait: after a new query ADK does not continue what they belong to."""
    for index, row in list(rows.rows.items()):
        if row.kind is RowKind.REQUEST and row.status is RowStatus.CONFIRM:
            rows.update_row(event, index, status=RowStatus.CANCELLED, result="not answered")
            rows.call_rows.pop(row.call_id, None)


def _describe_pause(name: str, arguments: Mapping[str, Json]) -> str:
    if name != REQUEST_CREDENTIAL:
        return summarize_text(as_text(arguments.get("message"))) or summarize_value(arguments.get("payload") or "")
    scheme = as_mapping(as_mapping(arguments.get("authConfig")).get("authScheme"))
    described = [as_text(scheme.get(key)) for key in ("type", "scheme", "name")]
    return summarize_text(" ".join(text for text in described if text))

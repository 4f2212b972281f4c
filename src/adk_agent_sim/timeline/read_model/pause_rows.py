"""The rows of requests by which ADK pauses an agent for input or a credential, and of the user's answers."""

from __future__ import annotations

from collections.abc import Mapping

from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.content_parts import as_mapping, as_text, unwrap_result
from adk_agent_sim.timeline.events import Event
from adk_agent_sim.timeline.framework_calls import REQUEST_CREDENTIAL
from adk_agent_sim.timeline.read_model.line_summary import summarize_text, summarize_value
from adk_agent_sim.timeline.read_model.open_rows import OpenRows
from adk_agent_sim.timeline.read_model.pause_requests import PAUSE_KINDS
from adk_agent_sim.timeline.read_model.timeline_row import RowKind, RowStatus


def add_request(rows: OpenRows, event: Event, part_index: int, call: Mapping[str, Json]) -> None:
    """Add the row of a request; it waits for the user until it is answered, or given up."""
    name, arguments = as_text(call.get("name")), as_mapping(call.get("args"))
    call_id = as_text(call.get("id"))
    rows.call_rows[call_id] = rows.add_row(
        event,
        RowKind.REQUEST,
        PAUSE_KINDS[name].value,
        _describe(name, arguments),
        part_index=part_index,
        status=RowStatus.CONFIRM,
        call_id=call_id,
    )


def apply_answer(rows: OpenRows, event: Event, part_index: int, response: Mapping[str, Json]) -> bool:
    """Apply the user's answer to a request; returns False if it answers none that waits."""
    call_id = as_text(response.get("id"))
    index = rows.call_rows.get(call_id)
    if index is None or rows.rows[index].kind is not RowKind.REQUEST:
        return False
    del rows.call_rows[call_id]
    result = summarize_value(unwrap_result(response.get("response")))
    rows.update_row(event, index, part_index=part_index, status=RowStatus.DONE, result=result)
    return True


def cancel_requests(rows: OpenRows, event: Event) -> None:
    """Cancel the requests that wait: after a new query ADK does not continue what they belong to."""
    for index, row in list(rows.rows.items()):
        if row.kind is RowKind.REQUEST and row.status is RowStatus.CONFIRM:
            rows.update_row(event, index, status=RowStatus.CANCELLED, result="not answered")
            rows.call_rows.pop(row.call_id, None)


def _describe(name: str, arguments: Mapping[str, Json]) -> str:
    if name != REQUEST_CREDENTIAL:
        return summarize_text(as_text(arguments.get("message"))) or summarize_value(arguments.get("payload") or "")
    scheme = as_mapping(as_mapping(arguments.get("authConfig")).get("authScheme"))
    described = [as_text(scheme.get(key)) for key in ("type", "scheme", "name")]
    return summarize_text(" ".join(text for text in described if text))

"""Asks a person for the response of a tool, through the timeline of its session.

rule `mock: human` --> ask_person --> ToolAsked on the timeline --> a person: browser, terminal, Python
                                  <-- ToolAnswered -------------+
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING
from uuid import uuid4

from google.adk.tools import ToolContext

from adk_agent_sim.adk.time_travel.recorded_outcome import build_error
from adk_agent_sim.mocks.mocked_call import ToolSpec
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.submissions import ToolRequest
from adk_agent_sim.timeline.tool_request_events import ToolAnswered, ToolAsked

if TYPE_CHECKING:
    from adk_agent_sim.adk.runs.recorded_session import RecordedSession


async def ask_person(
    session: RecordedSession, context: ToolContext, spec: ToolSpec, arguments: Mapping[str, Json]
) -> Json:
    """Ask a person for the response to a call and return it.

    Raises:
        Exception: What the person raises as the tool.
        SessionClosed: The session was closed first.
    """
    asked = ToolAsked(
        request_id=str(uuid4()),
        call_id=context.function_call_id or "",
        tool_name=spec.name,
        arguments=dict(arguments),
        description=spec.description,
        response_schema=to_json_value(spec.results),
        invocation_id=context.invocation_id,
    )
    request = ToolRequest(
        session.session_id, asked, agent_name=context.agent_name, agent_path=session.find_agent_path(context)
    )
    # Before the timeline has it, so that whoever sees the question there finds the request here.
    session.tool_requests[asked.request_id] = request
    try:
        await session.link.ask_tool(request)
        session.on_turn_pending()
        session.on_waiting_for_human(context.agent_name)
        event = await session.link.wait_for_tool_response(session.session_id, asked.request_id)
    finally:
        del session.tool_requests[asked.request_id]
    answered = event.payload
    if not isinstance(answered, ToolAnswered):
        raise TypeError(f"The call of {spec.name} was answered by a {type(answered).__name__} event.")
    if answered.error_type:
        raise build_error(answered.error_type, answered.error_message)
    return answered.result

"""What a person does with the tool calls of a session: respond as the tool, or cancel the call."""

from __future__ import annotations

from adk_agent_sim.errors import NotFound
from adk_agent_sim.timeline.submissions import ToolResponse
from adk_agent_sim.use_cases.open_session import OpenSession
from adk_agent_sim.use_cases.record import OperationResult


async def respond_as_tool(session: OpenSession, response: ToolResponse) -> OperationResult:
    """Respond to a call as its tool: with a result, or with an exception.

    Raises:
        AgentNotLocal: The session's agent ended with an earlier process.
        ToolRequestNotFound: There is no such call.
        ToolAlreadyAnswered: The call has another response.
        ToolRequestAbandoned: The call has ended.
        InvalidToolResult: The result does not match the tool's output schema.
    """
    await session.require_playable("respond as a tool")
    await session.timeline.tool_requests.respond(response)
    return await session.build_result()


async def cancel_call(session: OpenSession, call_id: str) -> OperationResult:
    """Cancel one running call; the model gets the cancellation as the call's result.

    Raises:
        AgentNotLocal: The session's agent ended with an earlier process.
        NotFound: No such call is running.
    """
    if session.run is None and session.may_be_remote:
        await session.timeline.cancel_call(session.session_id, call_id)
    elif not session.require_run("cancel a call").recorded_session.running_calls.cancel(call_id):
        raise NotFound("The call is not running; it may have ended already.")
    return await session.build_result()

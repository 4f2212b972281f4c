"""What a person does as a tool of a session: read the call that waits for its response, and respond."""

from __future__ import annotations

from adk_agent_sim.errors import AgentNotLocal
from adk_agent_sim.server.sessions.decision_api_models import ToolResponseInput
from adk_agent_sim.server.sessions.session_api_models import PendingToolCall, SessionDetail
from adk_agent_sim.server.sessions.session_directory import SessionDirectory
from adk_agent_sim.server.sessions.session_runs import SessionRuns
from adk_agent_sim.timeline.json_input import parse_json_input
from adk_agent_sim.timeline.submissions import ToolResponse
from adk_agent_sim.timeline.timeline import Timeline
from adk_agent_sim.timeline.tool_requests import get_tool_asked


class ToolActions:
    """Responds to the tool calls of sessions whose agents run here or, if allowed, in other processes."""

    def __init__(self, timeline: Timeline, runs: SessionRuns, directory: SessionDirectory) -> None:
        self._timeline = timeline
        self._runs = runs
        self._directory = directory

    async def get_call(self, session_id: str, request_id: str) -> PendingToolCall:
        """Return a call that waits for the response of a person.

        Raises:
            ToolRequestNotFound: No such call waits.
        """
        await self._timeline.get_summary(session_id)
        event = await self._timeline.tool_requests.get_pending(session_id, request_id)
        return PendingToolCall.from_event(event.agent_name, get_tool_asked(event))

    async def respond(self, session_id: str, request_id: str, response: ToolResponseInput) -> SessionDetail:
        """Respond as the tool: with a result, or with an exception.

        Raises:
            AgentNotLocal: The session's agent ended with an earlier process.
            ToolRequestNotFound: There is no such call.
            ToolAlreadyAnswered: The call has another response.
            ToolRequestAbandoned: The call has ended.
            InvalidToolResult: The result does not match the tool's output schema.
        """
        summary = await self._timeline.get_summary(session_id)
        # A closed session gets the timeline's own error, which says when and why it was closed.
        if not self._runs.is_playable(session_id) and not summary.is_closed:
            raise AgentNotLocal(session_id, "respond as a tool")
        result = None if response.error_type else parse_json_input(response.result, "The result")
        await self._timeline.tool_requests.respond(
            ToolResponse(
                session_id,
                request_id,
                result,
                error_type=response.error_type,
                error_message=response.error_message,
                decision_id=response.decision_id,
                anyway=response.anyway,
            )
        )
        return await self._directory.get_detail(session_id)

"""A real ToolContext, captured from a Runner that called a tool."""

from __future__ import annotations

import asyncio

from google.adk.agents import LlmAgent
from google.adk.runners import InMemoryRunner
from google.adk.tools import ToolContext
from google.genai import types
from scripted_model import ScriptedModel, call_response, text_response


def real_tool_context() -> ToolContext:
    """Returns the context of a call that a scripted model made."""
    captured: list[ToolContext] = []

    def capture(tool_context: ToolContext) -> str:
        captured.append(tool_context)
        return "captured"

    asyncio.run(
        _run(
            LlmAgent(
                name="capturer",
                model=ScriptedModel(script=[call_response(("capture", {})), text_response("bye")]),
                tools=[capture],
            )
        )
    )
    return captured[0]


async def _run(agent: LlmAgent) -> None:
    runner = InMemoryRunner(agent=agent, app_name="corpus")
    session = await runner.session_service.create_session(app_name="corpus", user_id="user")
    message = types.Content(role="user", parts=[types.Part(text="go")])
    async for _ in runner.run_async(user_id="user", session_id=session.id, new_message=message):
        pass
    await runner.close()

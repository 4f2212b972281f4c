"""A ToolContext as ADK makes it: taken from a real Runner that called a tool."""

from __future__ import annotations

import asyncio

from google.adk.agents import LlmAgent
from google.adk.runners import InMemoryRunner
from google.adk.tools import ToolContext
from google.genai import types
from scripted_model import ScriptedModel, call_response, text_response


def real_tool_context() -> ToolContext:
    """The context of a call that a scripted model made."""
    kept: list[ToolContext] = []

    def keep(tool_context: ToolContext) -> str:
        kept.append(tool_context)
        return "kept"

    asyncio.run(
        _run(
            LlmAgent(
                name="keeper",
                model=ScriptedModel(script=[call_response(("keep", {})), text_response("bye")]),
                tools=[keep],
            )
        )
    )
    return kept[0]


async def _run(agent: LlmAgent) -> None:
    runner = InMemoryRunner(agent=agent, app_name="corpus")
    session = await runner.session_service.create_session(app_name="corpus", user_id="user")
    message = types.Content(role="user", parts=[types.Part(text="go")])
    async for _ in runner.run_async(user_id="user", session_id=session.id, new_message=message):
        pass
    await runner.close()

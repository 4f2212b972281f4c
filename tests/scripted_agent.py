"""Runs a scripted agent on a plain ADK Runner, with or without a simulated environment, and returns tool results."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.events import Event
from google.adk.plugins import BasePlugin
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.tools import BaseTool
from google.genai import types
from scripted_model import ScriptedModel, call_response, text_response

ModelCalls = Sequence[tuple[str, dict[str, Any]]]
"""The calls that a model makes together."""


def build_scripted_agent(
    tools: Sequence[Callable[..., Any] | BaseTool], *turns: ModelCalls, name: str = "shop", **settings: Any
) -> LlmAgent:
    """Build an agent whose model makes these calls, turn by turn, and then answers "done"."""
    script = [*(call_response(*turn) for turn in turns), text_response("done")]
    return LlmAgent(name=name, model=ScriptedModel(script=script), tools=list(tools), **settings)


async def run_scripted_agent(root: LlmAgent, *plugins: BasePlugin, message: str = "go") -> list[dict[str, Any]]:
    """Return the responses that the model got for its calls, in order."""
    return get_function_responses(await collect_events(root, *plugins, message=message))


async def collect_events(root: Any, *plugins: BasePlugin, message: str = "go", times: int = 1) -> list[Event]:
    """Return the events of a run in a new session with a random id."""
    sessions = InMemorySessionService()
    app = App(name="shop", root_agent=root, plugins=list(plugins))
    runner = Runner(app=app, session_service=sessions)
    session = await sessions.create_session(app_name="shop", user_id="user")
    found: list[Event] = []
    for _ in range(times):
        content = types.Content(role="user", parts=[types.Part(text=message)])
        found += [event async for event in runner.run_async(user_id="user", session_id=session.id, new_message=content)]
    await runner.close()
    return found


def get_function_responses(run_events: Sequence[Event]) -> list[dict[str, Any]]:
    """Return the function responses of a run."""
    return [response.response or {} for event in run_events for response in event.get_function_responses()]

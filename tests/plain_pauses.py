"""Runs a pausing agent on a plain Runner, to be compared with the same run in the simulator."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

from fidelity_runs import normalize_events
from google.adk.apps import App
from google.adk.artifacts import InMemoryArtifactService
from google.adk.events import Event
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.genai import types

from adk_agent_sim import Simulation


async def run_plainly(app: App, message: str, answer: types.Content) -> list[dict[str, Any]]:
    """Run the app on a plain Runner: the message, then the same response to the question that ADK asks."""
    sessions = InMemorySessionService()
    runner = Runner(app=app, session_service=sessions, artifact_service=InMemoryArtifactService())
    session = await sessions.create_session(app_name=app.name, user_id="user")
    events: list[Event] = []
    first = types.Content(role="user", parts=[types.Part(text=message)])
    for content in (first, answer):
        calls = [call for event in events for call in event.get_function_calls()]
        for part in content.parts or ():
            if part.function_response is not None:
                asked = [call for call in calls if call.name == part.function_response.name]
                part.function_response.id = asked[-1].id
        run = runner.run_async(user_id="user", session_id=session.id, new_message=content, yield_user_message=True)
        events.extend([event async for event in run])
    await runner.close()
    return normalize_events(events)


def find_answer(sim: Simulation) -> types.Content:
    """Return a copy of the last message of the user."""
    content = [event.content for event in sim.events() if event.author == "user"][-1]
    assert content is not None
    return content.model_copy(deep=True)


def replace_oauth_state(events: list[dict[str, Any]]) -> None:
    """Replace the random `state` of OAuth requests, which also is in their addresses."""
    for event in events:
        for config in _iter_mappings(event):
            if ("state" in config and "auth_uri" in config) or "authUri" in config:
                config["state"] = config["auth_uri"] = config["authUri"] = "random"


def _iter_mappings(value: Any) -> Iterator[dict[str, Any]]:
    if isinstance(value, dict):
        found = cast("dict[str, Any]", value)
        yield found
        for inner in list(found.values()):
            yield from _iter_mappings(inner)
    elif isinstance(value, list):
        for inner in cast("list[Any]", value):
            yield from _iter_mappings(inner)

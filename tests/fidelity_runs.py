"""Runs one agent twice: its scripted model on a plain Runner, and the wizard making the same decisions."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from google.adk.apps import App
from google.adk.artifacts import InMemoryArtifactService
from google.adk.events import Event
from google.adk.models import BaseLlm
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.genai import types
from scripted_model import ScriptedModel

from adk_agent_sim import Simulation
from adk_agent_sim.adk.steps.steps import ModelTurn, Step

MakeApp = Callable[[BaseLlm], App]


@dataclass(frozen=True)
class FidelityTurn:
    """A user message and the model's decisions up to its answer."""

    message: str
    decisions: Sequence[dict[str, Any]]
    force: bool = False
    """Whether the decisions do not match their requests, and the wizard sends them anyway."""


@dataclass(frozen=True)
class FidelityResult:
    events: list[dict[str, Any]]
    state: dict[str, Any]
    artifacts: dict[str, bytes]


async def run_with_scripted_model(
    make_app: MakeApp, turns: Sequence[FidelityTurn], state: Mapping[str, Any] | None = None
) -> FidelityResult:
    """Run the agent with its own model."""
    app = make_app(ScriptedModel(script=[decision for turn in turns for decision in turn.decisions]))
    sessions, artifacts = InMemorySessionService(), InMemoryArtifactService()
    runner = Runner(app=app, session_service=sessions, artifact_service=artifacts)
    session = await sessions.create_session(app_name=app.name, user_id="user", state=dict(state or {}))
    events: list[Event] = []
    for turn in turns:
        message = types.Content(role="user", parts=[types.Part(text=turn.message)])
        run = runner.run_async(user_id="user", session_id=session.id, new_message=message, yield_user_message=True)
        events.extend([event async for event in run])
    after = await sessions.get_session(app_name=app.name, user_id="user", session_id=session.id)
    assert after is not None
    saved: dict[str, bytes] = {}
    for name in await artifacts.list_artifact_keys(app_name=app.name, user_id="user", session_id=session.id):
        part = await artifacts.load_artifact(app_name=app.name, user_id="user", session_id=session.id, filename=name)
        saved[name] = _read_bytes(part)
    await runner.close()
    return FidelityResult(normalize_events(events), dict(after.state), saved)


async def run_with_wizard(
    make_app: MakeApp, turns: Sequence[FidelityTurn], state: Mapping[str, Any] | None = None
) -> FidelityResult:
    """Run the agent with a person as its model; its own model is never called."""
    never = ScriptedModel(script=[])
    async with Simulation(make_app(never), state=state) as sim:
        for turn in turns:
            step: Step = await sim.send(turn.message)
            for decision in turn.decisions:
                assert isinstance(step, ModelTurn), f"nobody waits for {decision}: {step}"
                step = await sim.decide(step.turn_id, decision, force=turn.force)
        assert not never.requests
        names = {name for event in sim.events() for name in event.actions.artifact_delta}
        saved = {name: _read_bytes(await sim.artifact(name)) for name in names}
        return FidelityResult(normalize_events(sim.events()), dict(await sim.state()), saved)


def normalize_events(events: Sequence[Event]) -> list[dict[str, Any]]:
    """Return events without ids and times; call ids become numbers, so that calls and responses stay connected."""
    text = json.dumps([event.model_dump(mode="json", exclude_none=True) for event in events])
    for number, call_id in enumerate(_collect_call_ids(events)):
        text = text.replace(call_id, f"call-{number}")
    found: list[dict[str, Any]] = json.loads(text)
    for event in found:
        for key in ("id", "timestamp", "invocation_id"):
            event.pop(key, None)
    return found


def _collect_call_ids(events: Sequence[Event]) -> list[str]:
    return list(dict.fromkeys(call.id for event in events for call in event.get_function_calls() if call.id))


def _read_bytes(part: types.Part | None) -> bytes:
    assert part is not None
    assert part.inline_data is not None
    return part.inline_data.data or b""

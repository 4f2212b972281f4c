"""An edit of the state changes what a `state_delta` changes on a plain Runner at the same point, event by event."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping, Sequence
from typing import Any

import pytest
from fidelity_runs import normalize_events
from google.adk.agents import LlmAgent
from google.adk.agents.callback_context import CallbackContext
from google.adk.agents.invocation_context import InvocationContext
from google.adk.apps import App
from google.adk.events import Event, EventActions
from google.adk.models import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins import BasePlugin
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.tools import ToolContext
from google.genai import types
from pydantic import PrivateAttr
from scripted_model import ScriptedModel, call_response, text_response

from adk_agent_sim import Simulation
from adk_agent_sim.adk.steps.steps import Done, ModelTurn, Step

START = {"mood": "calm", "visits": 1}
EDIT = {"mood": "stern", "user:tier": "gold", "app:season": "summer", "extra": {"list": [1, 2.5, None]}}
FIRST_RUN = [
    call_response(("look", {}), ("look", {"deeper": True})),
    call_response(("transfer_to_agent", {"agent_name": "closer"})),
    call_response(("look", {})),
    text_response("Bye"),
]
"""The decisions of the first run: tools of the root, a transfer, a tool of the other agent, and its answer."""

SECOND_RUN = [call_response(("look", {"deeper": True})), text_response("Bye again")]
"""The decisions of the second run, which ADK begins with the other agent."""


def look(tool_context: ToolContext, deeper: bool = False) -> dict[str, Any]:
    """Return the state and count the visit."""
    tool_context.state["visits"] = tool_context.state["visits"] + 1
    return {"deeper": deeper, "state": tool_context.state.to_dict()}


def count_request(callback_context: CallbackContext, llm_request: LlmRequest) -> None:
    """Note the mood at each request, as a callback of the agent's author."""
    callback_context.state["moods"] = [*callback_context.state.get("moods", []), callback_context.state["mood"]]


class RequestSpy(BasePlugin):
    """Keeps the requests that models get, and the invocation that is going on."""

    def __init__(self) -> None:
        super().__init__(name="spy")
        self.requests: list[Any] = []
        self.invocation: InvocationContext | None = None

    async def before_run_callback(self, *, invocation_context: InvocationContext) -> None:
        self.invocation = invocation_context

    async def before_model_callback(self, *, callback_context: CallbackContext, llm_request: LlmRequest) -> None:
        self.requests.append(llm_request.model_dump(mode="json", exclude={"live_connect_config"}))


class EditingModel(ScriptedModel):
    """Appends an event with a `state_delta` to the session of its run before it gives one of its responses."""

    edited_turn: int
    spy: RequestSpy
    _asked: int = PrivateAttr(default=0)

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        if self._asked == self.edited_turn:
            invocation = self.spy.invocation
            assert invocation is not None
            await invocation.session_service.append_event(
                invocation.session, Event(author="user", actions=EventActions(state_delta=dict(EDIT)))
            )
        self._asked += 1
        async for response in super().generate_content_async(llm_request, stream):
            yield response


def _create_app(model: BaseLlm, spy: RequestSpy) -> App:
    closer = LlmAgent(
        name="closer",
        model=model,
        instruction="Close, {mood}, {user:tier?}, {app:season?}.",
        tools=[look],
        output_key="closing",
    )
    root = LlmAgent(
        name="tone",
        model=model,
        instruction="Be {mood}, seen {visits} times, {extra?}.",
        tools=[look],
        sub_agents=[closer],
        before_model_callback=count_request,
    )
    return App(name="tone", root_agent=root, plugins=[spy])


async def _run_plainly(
    app: App, messages: Sequence[tuple[str, Mapping[str, Any] | None]]
) -> tuple[list[Event], Mapping[str, Any]]:
    """Send messages, each with a `state_delta` or none, on a plain Runner; return the session's events and state."""
    sessions = InMemorySessionService()
    runner = Runner(app=app, session_service=sessions)
    session = await sessions.create_session(app_name=app.name, user_id="user", state=dict(START))
    for text, delta in messages:
        content = types.Content(role="user", parts=[types.Part(text=text)])
        changes = dict(delta) if delta else None
        run = runner.run_async(user_id="user", session_id=session.id, new_message=content, state_delta=changes)
        assert [event async for event in run]
    after = await sessions.get_session(app_name=app.name, user_id="user", session_id=session.id)
    assert after is not None
    await runner.close()
    return after.events, after.state


async def _play(
    sim: Simulation, message: str, decisions: Sequence[dict[str, Any]], edited_turn: int | None = None
) -> None:
    """Send a message and decide all turns of its run; edit the state while one of them waits."""
    step: Step = await sim.send(message)
    for number, decision in enumerate(decisions):
        assert isinstance(step, ModelTurn)
        if number == edited_turn:
            await sim.set_state(EDIT)
        step = await sim.decide(step.turn_id, decision, force=False)
    assert isinstance(step, Done)


@pytest.mark.parametrize("edited_turn", range(len(FIRST_RUN)))
async def test_an_edit_while_a_turn_waits_changes_what_it_changes_on_a_plain_runner(edited_turn: int) -> None:
    spy = RequestSpy()
    model = EditingModel(script=[*FIRST_RUN, *SECOND_RUN], edited_turn=edited_turn, spy=spy)
    plain, plain_state = await _run_plainly(_create_app(model, spy), [("Hello", None), ("Again", None)])

    played_spy = RequestSpy()
    async with Simulation(_create_app(ScriptedModel(script=[]), played_spy), state=START) as sim:
        await _play(sim, "Hello", FIRST_RUN, edited_turn)
        await _play(sim, "Again", SECOND_RUN)
        played, played_state = normalize_events(sim.events()), dict(await sim.state())

    expected = normalize_events(plain)
    assert len(played) == len(expected) == 13
    for mine, theirs in zip(played, expected, strict=True):
        assert mine == theirs
    assert played_spy.requests == spy.requests
    assert len(spy.requests) == len(FIRST_RUN) + len(SECOND_RUN)
    assert played_state == plain_state
    moods = [response["state"]["mood"] for response in _find_tool_results(played)]
    calls_before = (0, 2, 2, 3)[edited_turn]
    assert moods == ["calm"] * calls_before + ["stern"] * (4 - calls_before)


async def test_an_edit_between_two_runs_changes_what_the_state_delta_of_a_message_changes() -> None:
    spy = RequestSpy()
    app = _create_app(ScriptedModel(script=[*FIRST_RUN, *SECOND_RUN]), spy)
    plain, plain_state = await _run_plainly(app, [("Hello", None), ("Again", EDIT)])

    played_spy = RequestSpy()
    async with Simulation(_create_app(ScriptedModel(script=[]), played_spy), state=START) as sim:
        await _play(sim, "Hello", FIRST_RUN)
        await sim.set_state(EDIT)
        await _play(sim, "Again", SECOND_RUN)
        played, played_state = normalize_events(sim.events()), dict(await sim.state())

    expected = normalize_events(plain)
    edit = played.pop(8)
    assert edit["actions"]["state_delta"] == EDIT
    # ADK puts the `state_delta` of a call of the Runner into the event of the message.
    assert expected[8]["actions"].pop("state_delta") == EDIT
    played[8]["actions"].pop("state_delta")
    assert len(played) == len(expected)
    for mine, theirs in zip(played, expected, strict=True):
        assert mine == theirs
    assert played_spy.requests == spy.requests
    assert played_state == plain_state


def _find_tool_results(events: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return what the tool `look` returned in these events."""
    parts = [part for event in events for part in event.get("content", {}).get("parts", ())]
    responses = [part["function_response"] for part in parts if "function_response" in part]
    return [response["response"] for response in responses if response["name"] == "look"]

"""What a person does as the models and tools of an agent: decide, respond, cancel calls, let somebody else play."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

from pydantic import Field

from adk_agent_sim.adk.players.session_player import SessionPlayer
from adk_agent_sim.adk.runs.recorded_session import RecordedSession
from adk_agent_sim.adk.seats import own_model
from adk_agent_sim.adk.time_travel.session_forking import update_player
from adk_agent_sim.errors import InvalidAnswer, InvalidArguments, NotFound
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.decision_checks import extract_text, get_function_calls
from adk_agent_sim.timeline.events import Event, TurnDecided
from adk_agent_sim.timeline.framework_calls import SET_MODEL_RESPONSE
from adk_agent_sim.timeline.strict_json import dump_json
from adk_agent_sim.timeline.submissions import ToolResponse, TurnDecision
from adk_agent_sim.timeline.turn_prefix import cut_at_end
from adk_agent_sim.timeline.undone_events import remove_undone_events
from adk_agent_sim.use_cases.open_session import OpenSession
from adk_agent_sim.use_cases.record import OperationResult, Record


class CallInput(Record):
    """One call of a tool."""

    name: str
    arguments: str = Field(description="A JSON object as text, so that 5 and 5.0 stay different")


class Suggestion(Record):
    """What a model would decide or has decided, to be edited."""

    calls: list[CallInput]
    text: str


async def decide_turn(
    session: OpenSession, turn_id: str, response: Json, *, decision_id: str = "", force: bool = False
) -> OperationResult:
    """Decide a turn as a person.

    Args:
        session: The session.
        turn_id: The turn.
        response: The decision, an `LlmResponse` as JSON.
        decision_id: A second decision with the same id has no effect; by default a new one.
        force: Decide although a tool is not offered, or the arguments or the response do not match their schema.

    Raises:
        AgentNotLocal: The session's agent ended with an earlier process.
        DecisionRefused: The turn was decided already or is not next, or the decision does not match its request.
        TurnNotFound: There is no such turn.
    """
    await session.require_playable("decide")
    decide = session.run.recorded_session.decide if session.run else session.timeline.decide
    decision = TurnDecision(session.session_id, turn_id, response, decision_id=decision_id or str(uuid4()), force=force)
    try:
        await decide(decision)
    except InvalidArguments as error:
        if error.tool_name != SET_MODEL_RESPONSE:
            raise
        # The person gave a final response and knows nothing of the tool by which ADK takes it.
        raise InvalidAnswer(error.problems) from None
    return await session.build_result()


async def suggest_decision(session: OpenSession, turn_id: str) -> Suggestion:
    """Return what the agent's own model would decide; the turn keeps waiting.

    Raises:
        AgentNotLocal: The agent does not run here.
        OwnModelFailed: The model failed or returned no content.
        TurnAbandoned: The turn does not wait.
        TurnNotFound: There is no such turn.
    """
    return _build_suggestion(await own_model.ask_own_model(*await _find_turn(session, turn_id)))


async def decide_with_own_model(session: OpenSession, turn_id: str) -> OperationResult:
    """Let the agent's own model decide a turn; the errors are those of `suggest_decision`."""
    await own_model.decide_with_own_model(*await _find_turn(session, turn_id))
    return await session.build_result()


async def get_decision(session: OpenSession, turn_id: str) -> Suggestion:
    """Return what was decided in a turn, to be edited; raise NotFound if it has no decision."""
    decided = await session.timeline.find_decision(session.session_id, turn_id)
    if decided is None or not isinstance(decided.payload, TurnDecided):
        raise NotFound("This turn has no decision.")
    return _build_suggestion(decided.payload.response)


async def _find_turn(session: OpenSession, turn_id: str) -> tuple[RecordedSession, str]:
    await session.timeline.get_turn(session.session_id, turn_id)
    return session.require_run("ask the agent's own model").recorded_session, turn_id


def _build_suggestion(response: Json) -> Suggestion:
    """Return a model response as a decision; a call of ADK's response tool becomes a final response."""
    calls = get_function_calls(response)
    if len(calls) == 1 and calls[0].get("name") == SET_MODEL_RESPONSE:
        return Suggestion(calls=[], text=_dump_arguments(calls[0]))
    suggested = [CallInput(name=call.get("name") or "", arguments=_dump_arguments(call)) for call in calls]
    return Suggestion(calls=suggested, text=extract_text(response))


def _dump_arguments(call: Mapping[str, Any]) -> str:
    return dump_json(call.get("args") or {}, indent=2)


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


def choose_player(session: OpenSession, player: SessionPlayer, log: Sequence[Event]) -> None:
    """Let a player take the seats of the models, from the turn on that waits now, or else from the next one.

    Args:
        session: The session.
        player: The player.
        log: All events of the session, of which a player that follows the conversation is told.

    Raises:
        AgentNotLocal: The agent does not run here.
    """
    run = session.require_run("choose a player")
    update_player(player, cut_at_end(remove_undone_events(log)), has_message=True)
    run.recorded_session.change_player(player)

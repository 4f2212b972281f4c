"""The life of a session as a person sees it, and the steps that lead through it.

    SELECTING_AGENT --select_agent--> AWAITING_QUERY --submit_query--> ACTIVE --respond--> COMPLETED
                                                                       ^   |                   |
                                                          execute_tool +---+   submit_query    |
                                                                       ^-----------------------+

A further user message reopens a completed session: each user turn is one invocation.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum, StrEnum

from adk_agent_sim.errors import InvalidTransition
from adk_agent_sim.timeline.events import AgentJoined, Event
from adk_agent_sim.timeline.history import FinalResponse, HistoryEntry, UserQuery


class SessionState(Enum):
    """Where a session stands."""

    SELECTING_AGENT = "selecting_agent"
    AWAITING_QUERY = "awaiting_query"
    ACTIVE = "active"
    COMPLETED = "completed"


class Move(StrEnum):
    """What a person does next."""

    SELECT_AGENT = "select_agent"
    SUBMIT_QUERY = "submit_query"
    EXECUTE_TOOL = "execute_tool"
    RESPOND = "respond"


_STEPS = {
    (SessionState.SELECTING_AGENT, Move.SELECT_AGENT): SessionState.AWAITING_QUERY,
    (SessionState.AWAITING_QUERY, Move.SUBMIT_QUERY): SessionState.ACTIVE,
    (SessionState.ACTIVE, Move.EXECUTE_TOOL): SessionState.ACTIVE,
    (SessionState.ACTIVE, Move.RESPOND): SessionState.COMPLETED,
    (SessionState.COMPLETED, Move.SUBMIT_QUERY): SessionState.ACTIVE,
}


def advance(state: SessionState, move: Move) -> SessionState:
    """The state after a move; InvalidTransition if the state does not allow it."""
    try:
        return _STEPS[state, move]
    except KeyError:
        allowed = ", ".join(possible for (at, possible) in _STEPS if at is state)
        raise InvalidTransition(
            f"A session that is {state.value} does not allow {move.value}; it allows: {allowed}."
        ) from None


def state_of(entries: Iterable[HistoryEntry], *, agent_selected: bool = True) -> SessionState:
    """The state that a history leads to."""
    state = SessionState.AWAITING_QUERY if agent_selected else SessionState.SELECTING_AGENT
    for entry in entries:
        match entry:
            case UserQuery() if state is not SessionState.ACTIVE:
                state = advance(state, Move.SUBMIT_QUERY)
            case FinalResponse():
                state = advance(state, Move.RESPOND)
            case _:
                pass
    return state


def joined(events: Iterable[Event]) -> AgentJoined | None:
    """How the agent joined the session, if one has."""
    return next((event.payload for event in events if isinstance(event.payload, AgentJoined)), None)

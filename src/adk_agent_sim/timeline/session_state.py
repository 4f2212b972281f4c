"""The states of a session as a person sees them, and the transitions between them.

    AWAITING_QUERY --submit_query--> ACTIVE --respond--> COMPLETED
                                        ^                    |
                                        +---- submit_query --+

Tools leave a session active. Another user message reopens a completed session: each user turn is one invocation.
A session on a timeline was created for an agent, so none is in SELECTING_AGENT.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import StrEnum

from adk_agent_sim.errors import InvalidTransition
from adk_agent_sim.timeline.events import AgentJoined, Event
from adk_agent_sim.timeline.history import FinalResponse, HistoryEntry, UserQuery
from adk_agent_sim.timeline.read_model.session_status import SessionState


class SessionTransition(StrEnum):
    """An action of a person."""

    SUBMIT_QUERY = "submit_query"
    RESPOND = "respond"


_TRANSITIONS = {
    (SessionState.AWAITING_QUERY, SessionTransition.SUBMIT_QUERY): SessionState.ACTIVE,
    (SessionState.ACTIVE, SessionTransition.RESPOND): SessionState.COMPLETED,
    (SessionState.COMPLETED, SessionTransition.SUBMIT_QUERY): SessionState.ACTIVE,
}


def advance(state: SessionState, transition: SessionTransition) -> SessionState:
    """Return the state after a transition; raise InvalidTransition if the state does not allow it."""
    try:
        return _TRANSITIONS[state, transition]
    except KeyError:
        allowed = ", ".join(possible for (at, possible) in _TRANSITIONS if at is state)
        raise InvalidTransition(
            f"A session in state {state.value} does not allow {transition.value}; allowed: {allowed}."
        ) from None


def derive_state(entries: Iterable[HistoryEntry]) -> SessionState:
    """Return the state after the entries of a history."""
    state = SessionState.AWAITING_QUERY
    for entry in entries:
        match entry:
            case UserQuery() if state is not SessionState.ACTIVE:
                state = advance(state, SessionTransition.SUBMIT_QUERY)
            case FinalResponse():
                state = advance(state, SessionTransition.RESPOND)
            case _:
                pass
    return state


def find_agent_joined(events: Iterable[Event]) -> AgentJoined | None:
    """Return the first `AgentJoined` payload, or None."""
    return next((event.payload for event in events if isinstance(event.payload, AgentJoined)), None)

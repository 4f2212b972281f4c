"""The interface through which an agent's seats use a timeline, in this process or on a server.

seats --> Link --+--> Timeline                                  same process
                 +--> Outbox --> RemoteLink --> gRPC server     another process
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from adk_agent_sim.timeline.events import Event
from adk_agent_sim.timeline.submissions import EventBatch, ToolRequest, TurnDecision, TurnRequest


class Link(Protocol):
    """A connection to a timeline.

    Submissions of one session are committed in the order of the calls. Only `wait_for_decision` and
    `wait_for_tool_response` wait for a person.
    """

    async def append(self, batch: EventBatch) -> object:
        """Append events."""
        ...

    async def ask(self, turn: TurnRequest) -> object:
        """Submit a model call that a player must decide."""
        ...

    async def decide(self, decision: TurnDecision) -> object:
        """Submit the decision of a turn."""
        ...

    async def wait_for_decision(self, session_id: str, turn_id: str) -> Event:
        """Wait for the decision of a turn and return its event.

        Raises:
            SessionClosed: The session was closed first.
            TurnAbandoned: The turn was withdrawn first.
        """
        ...

    async def withdraw(self, session_id: str, turn_id: str) -> object:
        """Withdraw a turn; has no effect if the turn is already decided."""
        ...

    async def ask_tool(self, request: ToolRequest) -> object:
        """Submit a tool call whose response a person must give."""
        ...

    async def wait_for_tool_response(self, session_id: str, request_id: str) -> Event:
        """Wait for the response of a person to a tool call and return its event.

        Raises:
            SessionClosed: The session was closed first.
            ToolRequestAbandoned: The request was withdrawn first.
        """
        ...

    async def listen(self, session_id: str, listener: Callable[[Event], None]) -> Callable[[], None]:
        """Call `listener` with every new event of a session; returns a function that unsubscribes it."""
        ...

"""An outbox without a server: for players that need nobody, when no server was named."""

from __future__ import annotations

from collections.abc import Callable
from typing import NoReturn
from uuid import uuid4

from adk_agent_sim.errors import ServerUnreachable
from adk_agent_sim.timeline.events import Event
from adk_agent_sim.timeline.submissions import EventBatch, ToolRequest, TurnDecision, TurnRequest


class DiscardingOutbox:
    """Accepts what an outbox accepts, and sends it nowhere."""

    url = ""

    def open_session(self, description: str, on_open: Callable[[str], object]) -> str:
        """Return an id; nothing is opened, so `on_open` is not called."""
        return str(uuid4())

    async def append(self, batch: EventBatch) -> None:
        """Discard events."""

    async def ask(self, turn: TurnRequest) -> None:
        """Discard a model call."""

    async def decide(self, decision: TurnDecision) -> None:
        """Discard a decision."""

    async def wait_for_decision(self, session_id: str, turn_id: str) -> NoReturn:
        """Raise ServerUnreachable: without a server there is nobody who could decide."""
        raise ServerUnreachable("", "no server was named")

    async def withdraw(self, session_id: str, turn_id: str) -> None:
        """Discard a withdrawal."""

    async def ask_tool(self, request: ToolRequest) -> None:
        """Discard a request for the response of a tool."""

    async def wait_for_tool_response(self, session_id: str, request_id: str) -> NoReturn:
        """Raise ServerUnreachable: without a server there is nobody who could respond as the tool."""
        raise ServerUnreachable("", "no server was named")

    async def listen(self, session_id: str, listener: Callable[[Event], None]) -> Callable[[], None]:
        """Return a function without effect: there are no events to listen to."""
        return lambda: None

    async def flush(self, timeout: float) -> bool:  # noqa: ASYNC109 - as that of an outbox
        """Return True: there is nothing to send."""
        return True

    def release_session(self, session_id: str) -> None:
        """Do nothing."""

"""What an agent's seats need of a timeline, wherever it is: in this process a `Timeline` is one, elsewhere a client.

seats --> Link --+--> Timeline                                  in this process
                 +--> Outbox --> RemoteLink --> gRPC server     in another one
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Protocol

from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.events import Event, Payload, Player
from adk_agent_sim.timeline.model_request import RequestBlocks


class Link(Protocol):
    """A way to a timeline. Facts arrive in the order in which they were told; only `decision` waits for a person."""

    async def append(
        self,
        session_id: str,
        *payloads: Payload,
        turn_id: str = "",
        agent_name: str = "",
        player: Player | None = None,
        blocks: Iterable[Block] = (),
    ) -> object:
        """Tell facts."""
        ...

    async def ask(
        self,
        session_id: str,
        *,
        turn_id: str,
        invocation_id: str,
        agent_name: str,
        request: RequestBlocks,
        player: Player = Player.HUMAN,
    ) -> object:
        """Put a model call up for decision by a player."""
        ...

    async def decide(
        self,
        session_id: str,
        turn_id: str,
        response: Json,
        *,
        decision_id: str | None = None,
        player: Player = Player.HUMAN,
        anyway: bool = False,
        duration_ms: float | None = None,
    ) -> object:
        """Answer a turn."""
        ...

    async def wait_for_decision(self, session_id: str, turn_id: str) -> Event:
        """Wait until a turn is decided; SessionClosed or TurnAbandoned if it never will be."""
        ...

    async def withdraw(self, session_id: str, turn_id: str) -> object:
        """Wait for a turn no longer; one that is decided stays decided."""
        ...

    async def listen(self, session_id: str, listener: Callable[[Event], None]) -> Callable[[], None]:
        """Call `listener` with the events of a session from now on; calling what is returned ends that."""
        ...

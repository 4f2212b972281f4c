"""Who can play the models of a session: the kinds of players, what they may want to know about it, and the policy."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias, runtime_checkable

from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.sessions import Session
from google.adk.tools import BaseTool
from google.genai import types

from adk_agent_sim.golden.recording import RecordedToolCall
from adk_agent_sim.timeline.events import AgentEvent, AgentPath, Player

Fallback: TypeAlias = Literal["real_model", "error"]
"""What to do without a decision: call the agent's own model, or fail the run."""


@dataclass(frozen=True, kw_only=True)
class PlayPolicy:
    """By default every agent is played, and a turn waits for a person without limit."""

    targets: frozenset[str] = frozenset()
    """The agents that are played; empty for all. The others call their own model, which is recorded."""

    deadline: float | None = None
    """How many seconds a turn waits for a person; None for no limit."""

    on_deadline: Fallback = "error"
    """What to do when the deadline has passed."""

    on_unreachable: Fallback = "error"
    """What to do when no server answers."""

    def should_play(self, agent_name: str) -> bool:
        """Return whether the session's player plays an agent."""
        return not self.targets or agent_name in self.targets


ModelFunction: TypeAlias = Callable[[LlmRequest], LlmResponse | Awaitable[LlmResponse]]
"""A function that plays a model."""

SessionPlayer: TypeAlias = "Player | ModelFunction | StreamPlayer | OwnModelPlayer"
"""Who plays the models of a session."""


@runtime_checkable
class UserMessageListener(Protocol):
    """A model's player that needs to know what the user says, beyond what is in the requests."""

    def handle_user_message(self, message: types.Content) -> None:
        """Handle a user message, before the model is called for it."""
        ...


@runtime_checkable
class AgentEventListener(Protocol):
    """A model's player that needs to know what the agents emit, whoever produced it."""

    def handle_agent_event(self, emitted: AgentEvent, agent_name: str, path: AgentPath) -> None:
        """Handle an event, before its agent goes on."""
        ...


@runtime_checkable
class RunListener(Protocol):
    """A model's player that needs to know which session it plays, and when a run of it has ended."""

    def handle_session_start(self, session: Session) -> None:
        """Handle the ADK session, before its first user message."""
        ...

    async def handle_run_end(self) -> None:
        """Handle the end of a run, however it ended."""
        ...


@runtime_checkable
class TurnSkipper(Protocol):
    """A model's player that follows a conversation, and can begin in the middle of a run."""

    def skip_turns(self, turns: Sequence[tuple[str, AgentPath]]) -> None:
        """Skip decisions that were made before: the agents, with their paths, after the next user message."""
        ...


class OpenTurn(Protocol):
    """A model call that has begun."""

    @property
    def player(self) -> Player:
        """Who answers it."""
        ...

    def answer(
        self, ask_own_model: Callable[[], AsyncGenerator[LlmResponse, None]], *, stream: bool
    ) -> AsyncGenerator[LlmResponse, None]:
        """Yield the responses.

        Args:
            ask_own_model: Asks the agent's own model, if it is to be asked.
            stream: Whether ADK wants pieces of a response too.
        """
        ...


@runtime_checkable
class OwnModelPlayer(Protocol):
    """A model's player that may let the agent's own model answer, and sees what it answers."""

    @property
    def can_play_live(self) -> bool:
        """Whether live connections go to this player instead of the agent's own model."""
        ...

    def open_turn(self, request: LlmRequest, agent_name: str, path: AgentPath) -> OpenTurn:
        """Begin an agent's next turn."""
        ...


@runtime_checkable
class StreamPlayer(Protocol):
    """A model's player that decides by who asks, and may know what a tool that runs an agent returned."""

    def decide_turn(self, request: LlmRequest, agent_name: str, path: AgentPath) -> LlmResponse:
        """Return the decision of an agent's next turn."""
        ...

    def find_inner_result(self, tool: BaseTool, call_id: str) -> RecordedToolCall | None:
        """Return the recorded call to answer with instead of running the tool; None if it should run."""
        ...

    def find_consent(self, call_id: str) -> bool | None:
        """Return whether the user consented to a call; None if the user is to be asked."""
        ...

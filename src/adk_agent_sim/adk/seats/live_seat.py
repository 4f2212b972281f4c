"""The seat of a model in a live session: contents sent to it form a conversation, and each of them begins a turn.

Players read and write text. Audio and video that is streamed to the model is ignored.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing, asynccontextmanager

from google.adk.models.base_llm_connection import BaseLlmConnection, RealtimeInput
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.genai import types

AnswerFunction = Callable[[LlmRequest], AsyncGenerator[LlmResponse, None]]
"""The player: a function from a request to its responses."""


class LiveSeat(BaseLlmConnection):
    """A live connection that is answered by the session's player."""

    def __init__(self, request: LlmRequest, answer: AnswerFunction) -> None:
        self._request = request
        self._answer = answer
        self._contents: list[types.Content] = []
        # A queue, because contents may arrive while the player still answers, and each of them begins a turn.
        self._turn_signals: asyncio.Queue[bool] = asyncio.Queue()
        self._closed = False

    async def send_history(self, history: list[types.Content]) -> None:
        """Set the conversation so far; begins a turn if its last content is the user's."""
        self._contents = list(history)
        if history and history[-1].role == "user":
            self._turn_signals.put_nowait(True)

    async def send_content(self, content: types.Content) -> None:
        """Add a user message or tool responses, and begin a turn."""
        self._contents.append(content)
        self._turn_signals.put_nowait(True)

    async def send_realtime(self, blob: RealtimeInput) -> None:
        """Ignore audio and video."""

    async def receive(self) -> AsyncGenerator[LlmResponse, None]:
        """Yield the player's answers, turn by turn, until the connection is closed."""
        while not self._closed and await self._turn_signals.get():
            # A copy for each turn: contents that arrive later must not change a request that somebody is looking at.
            request = self._request.model_copy(update={"contents": list(self._contents)})
            calls = False
            async with aclosing(self._answer(request)) as answers:
                async for answer in answers:
                    if answer.content is not None and not answer.partial:
                        self._contents.append(answer.content)
                        calls = any(part.function_call for part in answer.content.parts or ())
                    yield answer
            # After a call the model's turn continues with the tool responses, so it is not complete yet.
            if not calls:
                yield LlmResponse(turn_complete=True)

    async def close(self) -> None:
        """Close the connection and end `receive`."""
        self._closed = True
        # `receive` may be waiting for a turn that never comes.
        self._turn_signals.put_nowait(False)


@asynccontextmanager
async def open_live_connection(request: LlmRequest, answer: AnswerFunction) -> AsyncGenerator[BaseLlmConnection]:
    """Open a live connection that is closed with the context."""
    seat = LiveSeat(request, answer)
    try:
        yield seat
    finally:
        await seat.close()

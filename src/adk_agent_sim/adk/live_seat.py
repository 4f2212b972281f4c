"""The seat of a model in a live session: what is sent to it piles up into a conversation, and each piece is a turn.

A person reads and writes text; sound and pictures that stream in between are not shown and not answered.
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
"""Who plays: from a request to its responses."""


class LiveSeat(BaseLlmConnection):
    """A live connection whose other end is the session's player."""

    def __init__(self, request: LlmRequest, answer: AnswerFunction) -> None:
        self._request = request
        self._answer = answer
        self._contents: list[types.Content] = []
        self._turn_signals: asyncio.Queue[bool] = asyncio.Queue()
        self._closed = False

    async def send_history(self, history: list[types.Content]) -> None:
        """The conversation so far; it is a turn if the user spoke last."""
        self._contents = list(history)
        if history and history[-1].role == "user":
            self._turn_signals.put_nowait(True)

    async def send_content(self, content: types.Content) -> None:
        """A user message, or what tools answered: a turn."""
        self._contents.append(content)
        self._turn_signals.put_nowait(True)

    async def send_realtime(self, blob: RealtimeInput) -> None:
        """Sound or pictures: nobody here hears or sees them."""

    async def receive(self) -> AsyncGenerator[LlmResponse, None]:
        """The player's answers, one turn after the other, until the connection is closed."""
        while not self._closed and await self._turn_signals.get():
            request = self._request.model_copy(update={"contents": list(self._contents)})
            calls = False
            async with aclosing(self._answer(request)) as answers:
                async for answer in answers:
                    if answer.content is not None and not answer.partial:
                        self._contents.append(answer.content)
                        calls = any(part.function_call for part in answer.content.parts or ())
                    yield answer
            if not calls:
                yield LlmResponse(turn_complete=True)

    async def close(self) -> None:
        """End the connection."""
        self._closed = True
        self._turn_signals.put_nowait(False)


@asynccontextmanager
async def open_live_connection(request: LlmRequest, answer: AnswerFunction) -> AsyncGenerator[BaseLlmConnection]:
    """A live connection, for as long as it is used."""
    seat = LiveSeat(request, answer)
    try:
        yield seat
    finally:
        await seat.close()

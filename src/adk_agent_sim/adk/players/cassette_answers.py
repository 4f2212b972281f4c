"""What answers a model call of a session with a cassette: a recorded turn, the agent's own model, or an error."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from itertools import zip_longest
from typing import TypeAlias

from google.adk.models.llm_response import LlmResponse

from adk_agent_sim.adk.players.cassette_requests import CassetteConverter, assign_call_ids
from adk_agent_sim.adk.seats.streamed_pieces import measure_pieces, split_response
from adk_agent_sim.errors import RecordedModelFailed, SimulatorError
from adk_agent_sim.golden.cassette import CassetteBlock, CassetteRequest, CassetteTurn
from adk_agent_sim.golden.cassette_cursor import SlotState, TurnSlot
from adk_agent_sim.timeline.events import Player

OwnModelCall: TypeAlias = Callable[[], AsyncGenerator[LlmResponse, None]]
"""Asks the agent's own model."""

CassetteWriter: TypeAlias = Callable[[], Awaitable[None]]
"""Writes the session to the file of the cassette."""


@dataclass(kw_only=True)
class ReplayedAnswer:
    """A recorded turn."""

    turn: CassetteTurn
    converter: CassetteConverter

    write: CassetteWriter | None
    """None if the file has the turn."""

    player = Player.RECORDED

    async def answer(self, ask_own_model: OwnModelCall, *, stream: bool) -> AsyncGenerator[LlmResponse, None]:
        """Yield what the model answered, in its pieces first if ADK streams; raise RecordedModelFailed if it raised."""
        if self.write is not None:
            await self.write()
        # Who edits the file by hand may leave pieces behind of a response that is gone.
        for block, lengths in zip_longest(self.turn.responses, self.turn.pieces[: len(self.turn.responses)]):
            response = self.converter.restore_response(block)
            if stream and lengths:
                for piece in split_response(response, lengths):
                    yield piece
            yield response
        if self.turn.error is not None:
            error = self.turn.error.value
            raise RecordedModelFailed(self.turn.key.agent_name, error["type"], error["message"])


@dataclass(kw_only=True)
class OwnModelAnswer:
    """The agent's own model, whose answer is recorded before ADK acts on it."""

    slot: TurnSlot
    request: CassetteRequest
    converter: CassetteConverter
    write: CassetteWriter

    player = Player.REAL

    async def answer(self, ask_own_model: OwnModelCall, *, stream: bool) -> AsyncGenerator[LlmResponse, None]:
        """Yield what the own model answers, and raise what it raises."""
        earlier_ids = self.slot.list_call_ids()
        # If the run is cancelled before the model answers, the file must not keep the outdated turn.
        self.slot.turn = None
        pieces: list[LlmResponse] = []
        responses: list[CassetteBlock] = []
        lengths: list[tuple[int, ...]] = []
        async with aclosing(ask_own_model()) as answers:
            while True:
                try:
                    # Not `async for`, because an exception that ADK throws in at a `yield` is not one of the model.
                    answer = await anext(answers)
                except StopAsyncIteration:
                    return
                except Exception as error:
                    failure = {"type": type(error).__name__, "message": str(error)}
                    reason = CassetteBlock.from_value(self.converter.convert_value(failure))
                    await self._record(responses, lengths, reason)
                    raise
                if answer.partial:
                    pieces.append(answer)
                    yield answer
                    continue
                complete = assign_call_ids(answer, self.converter.call_ids)
                responses.append(self.converter.convert_response(complete, earlier_ids))
                lengths.append(measure_pieces(pieces, complete))
                pieces = []
                await self._record(responses, lengths)
                yield complete

    async def _record(
        self,
        responses: Sequence[CassetteBlock],
        lengths: Sequence[tuple[int, ...]],
        error: CassetteBlock | None = None,
    ) -> None:
        self.slot.turn = CassetteTurn(
            key=self.slot.key,
            request=self.request,
            responses=tuple(responses),
            error=error,
            pieces=tuple(lengths) if any(lengths) else (),
        )
        self.slot.state = SlotState.DONE
        await self.write()


@dataclass(kw_only=True)
class MissingAnswer:
    """A request to which the cassette has no answer."""

    error: SimulatorError
    player = Player.RECORDED

    async def answer(self, ask_own_model: OwnModelCall, *, stream: bool) -> AsyncGenerator[LlmResponse, None]:
        """Raise the error."""
        raise self.error
        yield  # makes this a generator

"""Plays the models of a session from a model cassette, or records the agents' own models to one.

    record    every turn: ask the own model --> write the turn
    replay    every turn: compare the request with the recorded one --> the recorded answer, or CassetteMismatch
    update    as replay, but a turn whose request differs is recorded again

The answers of a replay are without secrets, as they are recorded. A model that streamed is replayed in the same pieces,
if ADK streams then.
"""

from __future__ import annotations

import asyncio
import threading
from collections import Counter
from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from enum import StrEnum
from itertools import zip_longest
from typing import TypeAlias

from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.sessions import Session
from google.genai import types

from adk_agent_sim.adk.players.cassette_requests import (
    CallIds,
    CassetteConverter,
    assign_call_ids,
    measure_pieces,
    split_response,
)
from adk_agent_sim.errors import CassetteMismatch, InvalidCassetteMode, RecordedModelFailed, SimulatorError
from adk_agent_sim.golden.cassette import (
    Cassette,
    CassetteBlock,
    CassetteCursor,
    CassetteRequest,
    CassetteSession,
    CassetteTurn,
    SlotState,
    TurnSlot,
)
from adk_agent_sim.golden.cassette_files import CassetteFile
from adk_agent_sim.golden.cassette_matching import RequestDifference, RequestMatcher, summarize_differences
from adk_agent_sim.golden.recording import StreamKey
from adk_agent_sim.text.escaped_logging import get_logger
from adk_agent_sim.timeline.clock import Clock, WallClock
from adk_agent_sim.timeline.events import AgentPath, Player
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.redaction.redactor import Redactor
from adk_agent_sim.timeline.strict_json import dump_json

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
                complete = assign_call_ids(answer)
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


CASSETTE_VARIABLE = "ADK_SIM_CASSETTE"
"""The environment variable that allows a replay to record."""

CassetteAnswer: TypeAlias = ReplayedAnswer | OwnModelAnswer | MissingAnswer
"""What answers a model call."""

_log = get_logger(__name__)


class CassetteMode(StrEnum):
    """What a player does with its cassette; the values are those of ADK_SIM_CASSETTE, except REPLAY."""

    REPLAY = "replay"
    RECORD = "record"
    UPDATE = "update"


def read_cassette_mode(environment: Mapping[str, str]) -> CassetteMode:
    """Return what ADK_SIM_CASSETTE asks for; REPLAY if it is not set. Raise InvalidCassetteMode if it is unknown."""
    value = environment.get(CASSETTE_VARIABLE, "")
    modes = {"": CassetteMode.REPLAY, **{mode.value: mode for mode in CassetteMode if mode is not CassetteMode.REPLAY}}
    if value not in modes:
        raise InvalidCassetteMode(value, " or ".join(filter(None, modes)))
    return modes[value]


class CassettePlayer:
    """Answers the model calls of one session."""

    def __init__(
        self, file: CassetteFile, cassette: Cassette, mode: CassetteMode, *, clock: Clock | None = None
    ) -> None:
        """Play or record one session.

        Args:
            file: Where turns are written to, unless the mode is REPLAY.
            cassette: What is played, unless the mode is RECORD.
            mode: What to do.
            clock: Says which times in a request are the current time.
        """
        self.can_play_live = mode is not CassetteMode.RECORD
        """Whether live connections are answered; the agent's own model opens its own, which is not recorded."""
        self._file = file
        self._mode = mode
        self._clock = clock or WallClock()
        # The ids that an update makes must differ from those in the turns that it keeps.
        known_ids = [call_id for session in cassette.sessions for call_id in session.iter_call_ids()]
        self._converter = CassetteConverter(CallIds(known_ids if mode is CassetteMode.UPDATE else ()), Redactor())
        self._candidates = cassette.sessions if mode is not CassetteMode.RECORD else ()
        self._new_session = CassetteSession(app_name="", user_id="", state=CassetteBlock.from_value({}))
        self._cursors: list[CassetteCursor] = []
        """The sessions of the cassette that this one may be; the first of them is written."""
        self._run_index = -1
        self._turn_counts: Counter[str] = Counter()
        self._mismatch: CassetteMismatch | None = None
        """The first difference of the current run."""
        self._written: CassetteSession | None = None
        """What the file has of this session."""
        self._write_lock = threading.Lock()
        self._initial_secret_count = self._clean_count = self._converter.secret_count
        self._clean_blocks: dict[str, CassetteBlock] = {}

    def handle_session_start(self, session: Session) -> None:
        """Remember whose session it is, and prefer recordings that began with the same state."""
        state = CassetteBlock.from_value(self._converter.convert_value(to_json_value(session.state)))
        self._new_session = CassetteSession(app_name=session.app_name, user_id=session.user_id, state=state)
        self._candidates = tuple(sorted(self._candidates, key=lambda each: each.state != state))

    def handle_user_message(self, message: types.Content) -> None:
        """Begin the run that follows this message."""
        self._begin_run(self._converter.convert_message(message))

    def _begin_run(self, message: CassetteBlock) -> None:
        played = [(cursor.build_session(), cursor.origin) for cursor in self._cursors]
        # After the first message, only sessions that fitted all messages so far can be the one that is played.
        sessions = played if self._run_index >= 0 else [(each, each) for each in self._candidates]
        self._run_index += 1
        self._turn_counts.clear()
        self._mismatch = None
        place = self._run_index
        longer = [each for each in sessions if place < len(each[0].runs)]
        fitting = [each for each in longer if self._is_same_message(each[0].runs[place].message, message)]
        if not fitting and self._mode is CassetteMode.REPLAY:
            # The comparison of the first request says what is new about the message.
            fitting = sorted(longer, key=lambda each: -_rate_similarity(each[0].runs[place].message, message))[:1]
        elif not fitting:
            fitting = [self._extend_session(*sessions[0])] if place and sessions else [(self._new_session, None)]
        self._cursors = [CassetteCursor(session, place, message, origin) for session, origin in fitting]

    def _extend_session(
        self, session: CassetteSession, origin: CassetteSession | None
    ) -> tuple[CassetteSession, CassetteSession | None]:
        """Return the runs that were played before, and what the file has of them that is replaced by the extension."""
        if len(session.runs) > self._run_index:
            # It is another conversation that began in the same way, so the file keeps it.
            self._written = origin = None
        return replace(session, runs=session.runs[: self._run_index]), origin

    async def handle_run_end(self) -> None:
        """Leave turns that were not played out of the file, if others were recorded in their run."""
        if not self._cursors:
            return
        was_changed = self._cursors[0].is_changed
        unplayed_count = self._cursors[0].finish_run()
        if unplayed_count and was_changed:
            await self._write_async()
        elif unplayed_count and self._mismatch is None:
            _log.warning(
                "The agents did not ask for %d of the turns that the model cassette %s has after user message %d.",
                *(unplayed_count, self._file.path, self._run_index + 1),
            )

    def open_turn(self, request: LlmRequest, agent_name: str, path: AgentPath) -> CassetteAnswer:
        """Begin a model call and return what answers it."""
        if self._run_index < 0:  # ADK resumes a session without a message
            self._begin_run(CassetteBlock.from_value({}))
        self._turn_counts[agent_name] += 1
        converted = self._converter.convert_request(agent_name, request)
        path = self._converter.call_ids.convert_path(path)
        key = StreamKey(agent_name=agent_name, path=path)
        found = [(cursor, cursor.find_next(agent_name, path)) for cursor in self._cursors]
        compared = [
            (place, *self._compare(slot.turn.request, converted))
            for place, (_, slot) in enumerate(found)
            if slot is not None and slot.turn is not None
        ]
        # Sorting is stable: of several that fit, the first one answers.
        rated = sorted(compared, key=lambda each: len(each[2]))
        if rated and not rated[0][2]:
            # Later requests repeat these UUIDs, and each must stand for the same recorded one everywhere.
            self._converter.uuids = rated[0][1].uuids
            return self._play(found, [place for place, _, differences in rated if not differences])
        if self._mode is CassetteMode.REPLAY:
            # An agent that is used as a tool may have failed, and the error become the tool's response: the agent that
            # called it then differs only because of that.
            self._mismatch = self._mismatch or self._build_mismatch(agent_name, rated[0][2] if rated else [])
            return MissingAnswer(error=self._mismatch)
        # There is always a cursor here: only a replay can be without one, other modes begin a new session.
        cursor, slot = found[rated[0][0] if rated else 0]
        self._cursors = [cursor]
        return OwnModelAnswer(
            slot=cursor.reopen(key, slot), request=converted, converter=self._converter, write=self._write_async
        )

    def _compare(
        self, recorded: CassetteRequest, found: CassetteRequest
    ) -> tuple[RequestMatcher, list[RequestDifference]]:
        matcher = self._create_matcher()
        if not (differences := matcher.find_differences(recorded, found)):
            return matcher, differences
        # A value may be a secret only here, such as one in a variable of this machine.
        matcher = self._create_matcher()
        return matcher, matcher.find_differences(recorded.map_blocks(self._redact_block), found)

    def _is_same_message(self, recorded: CassetteBlock, found: CassetteBlock) -> bool:
        return any(
            self._create_matcher().is_match(each.value, found.value)
            for each in (recorded, self._redact_block(recorded))
        )

    def _play(self, found: Sequence[tuple[CassetteCursor, TurnSlot | None]], places: Sequence[int]) -> CassetteAnswer:
        """Answer from the first cursor that fits, and forget those that do not."""
        turns: list[CassetteTurn] = []
        for place in places:
            slot = found[place][1]
            if slot is not None and slot.turn is not None:
                slot.state = SlotState.DONE
                turns.append(slot.turn)
        self._cursors = [found[place][0] for place in places]
        # A stale turn that is played after all returns to the file.
        write = self._write_async if self._cursors[0].is_changed else None
        return ReplayedAnswer(turn=turns[0], converter=self._converter, write=write)

    def _build_mismatch(self, agent_name: str, differences: Sequence[RequestDifference]) -> CassetteMismatch:
        if differences:
            reason = f"the request differs from the recorded one in {summarize_differences(differences)}"
        elif self._cursors:
            reason = "the agent calls its model more often than it was recorded"
        else:
            reason = f"it has no session with {self._run_index + 1} user messages like these"
        error = CassetteMismatch(
            str(self._file.path), agent_name, self._run_index + 1, self._turn_counts[agent_name], reason
        )
        _log.error("%s", error)
        return error

    def _create_matcher(self) -> RequestMatcher:
        return RequestMatcher(self._clock.now(), self._converter.uuids)

    async def _write_async(self) -> None:
        # Another process may hold the lock of the file.
        await asyncio.to_thread(self._write)

    def _write(self) -> None:
        # Agents that run in parallel write at the same time, each in a thread of its own.
        with self._write_lock:
            session = self._cursors[0].build_session()
            if self._converter.secret_count > self._initial_secret_count:
                session = session.map_blocks(self._redact_block, self._converter.redact_response)
            self._file.put_session(session, self._written or self._cursors[0].origin)
            self._written = session

    def _redact_block(self, block: CassetteBlock) -> CassetteBlock:
        """Return a block without the secrets that became known after it was converted, or are known only here."""
        if self._clean_count != self._converter.secret_count:
            self._clean_count = self._converter.secret_count
            self._clean_blocks.clear()
        clean = self._clean_blocks.get(block.digest)
        if clean is None:
            clean = self._clean_blocks[block.digest] = self._converter.redact_block(block)
        return clean


def _rate_similarity(recorded: CassetteBlock, found: CassetteBlock) -> float:
    # An upper bound is enough to choose one message, and takes no quadratic time, as the exact ratio does.
    return SequenceMatcher(None, dump_json(recorded.value)[:2_000], dump_json(found.value)[:2_000]).quick_ratio()

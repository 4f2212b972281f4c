"""A model cassette: the model requests of sessions, and what the agents' own models answered to them.

    Cassette --> CassetteSession --> CassetteRun (one per user message) --> CassetteTurn: request, responses or an error

It consists of JSON values and does not depend on ADK. `cassette_files.py` keeps it as text in a file,
`cassette_matching.py` compares requests. Calls have the ids of the cassette (`call-1`), not of a session.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from functools import cached_property
from hashlib import blake2b
from typing import cast

from adk_agent_sim.golden.recording import StreamKey, find_stream
from adk_agent_sim.text.surrogates import replace_lone_surrogates
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.content_parts import get_parts
from adk_agent_sim.timeline.events import AgentPath
from adk_agent_sim.timeline.strict_json import dump_json

_DIGEST_BYTES = 8

_LINES = "lines"
"""The only key of an object that stands for a text of several lines."""


@dataclass(frozen=True)
class CassetteBlock:
    """A JSON value that the file has once, however often it is used; equal if the values are."""

    digest: str

    value: Json = field(compare=False, repr=False)
    """The value, as a file gives it back."""

    @classmethod
    def from_value(cls, value: Json) -> CassetteBlock:
        """Return the block of any JSON value."""
        text = replace_lone_surrogates(dump_json(value))
        digest = blake2b(text.encode(), digest_size=_DIGEST_BYTES).hexdigest()
        return cls(digest, json.loads(text))

    @cached_property
    def text(self) -> str:
        """The value as indented JSON; kept, because a file is written often."""
        return dump_json(self.value, indent=2)

    @cached_property
    def shared_text(self) -> str:
        """The value as the table of blocks has it, which alone contains instructions."""
        if isinstance(self.value, str) and "\n" in self.value:
            # A diff of an instruction shows the lines that changed, not one long line.
            return dump_json({_LINES: self.value.split("\n")}, indent=2)
        return self.text

    @classmethod
    def from_shared(cls, value: Json) -> CassetteBlock:
        """Return the block of a value in the table of blocks."""
        entries = cast("dict[str, Json]", value) if isinstance(value, dict) else {}
        return cls.from_value("\n".join(entries[_LINES]) if list(entries) == [_LINES] else value)


@dataclass(frozen=True, kw_only=True)
class CassetteRequest:
    """What a model was asked, as far as the model could read it, without secrets."""

    instruction: CassetteBlock
    """The system instruction."""

    tools: CassetteBlock
    """A list of declarations: `{"function": ...}` for a function, `{"google_search": ...}` for a built-in tool."""

    config: CassetteBlock
    """The settings by name, the model's name included."""

    contents: tuple[CassetteBlock, ...]
    """The conversation."""

    def map_blocks(self, convert: Callable[[CassetteBlock], CassetteBlock]) -> CassetteRequest:
        """Return a request with other blocks."""
        return CassetteRequest(
            instruction=convert(self.instruction),
            tools=convert(self.tools),
            config=convert(self.config),
            contents=tuple(map(convert, self.contents)),
        )


@dataclass(frozen=True, kw_only=True)
class CassetteTurn:
    """One model call."""

    key: StreamKey
    """Which agent called, and where it ran."""

    request: CassetteRequest

    responses: tuple[CassetteBlock, ...] = ()
    """The complete responses, an `LlmResponse` each; nearly always one."""

    error: CassetteBlock | None = None
    """The `type` and `message` of what the model raised, if it did."""

    pieces: tuple[tuple[int, ...], ...] = ()
    """How the texts of each response were streamed: the lengths of the pieces; none for a response in one piece."""


@dataclass(frozen=True, kw_only=True)
class CassetteRun:
    """What followed one message of the user."""

    message: CassetteBlock
    """The message, a `types.Content`."""

    turns: tuple[CassetteTurn, ...] = ()
    """The model calls, in the order in which they began."""


@dataclass(frozen=True, kw_only=True)
class CassetteSession:
    """One session."""

    app_name: str
    user_id: str

    state: CassetteBlock
    """The session state before the first message."""

    runs: tuple[CassetteRun, ...] = ()

    @property
    def identity(self) -> tuple[str, str, tuple[str, ...]]:
        """What makes it this conversation; recording it again replaces it."""
        return self.app_name, self.state.digest, tuple(run.message.digest for run in self.runs)

    @property
    def sort_key(self) -> list[str]:
        """Its place in a file, which does not depend on which of several sessions ended first."""
        return [self.app_name, *(dump_json(run.message.value) for run in self.runs), dump_json(self.state.value)]

    def map_blocks(
        self,
        convert: Callable[[CassetteBlock], CassetteBlock],
        convert_response: Callable[[CassetteBlock], CassetteBlock],
    ) -> CassetteSession:
        """Return a session with other blocks."""
        runs = [
            CassetteRun(
                message=convert(run.message),
                turns=tuple(
                    replace(
                        turn,
                        request=turn.request.map_blocks(convert),
                        responses=tuple(map(convert_response, turn.responses)),
                        error=convert(turn.error) if turn.error else None,
                    )
                    for turn in run.turns
                ),
            )
            for run in self.runs
        ]
        return replace(self, state=convert(self.state), runs=tuple(runs))

    def iter_call_ids(self) -> Iterator[str]:
        """Yield the ids of the calls that the models made."""
        for run in self.runs:
            for turn in run.turns:
                for response in turn.responses:
                    yield from (call.get("id") or "" for call in list_calls(response.value))


@dataclass(frozen=True, kw_only=True)
class Cassette:
    """All sessions of a file, in the file's order."""

    sessions: tuple[CassetteSession, ...] = ()

    def put_session(self, session: CassetteSession, earlier: CassetteSession | None = None) -> Cassette:
        """Return a cassette with a session in place of one with the same conversation, and of its earlier version."""
        others = [each for each in self.sessions if each.identity != session.identity and each != earlier]
        return Cassette(sessions=tuple(sorted([*others, session], key=lambda each: each.sort_key)))


def list_calls(response: Mapping[str, Json]) -> list[Mapping[str, Json]]:
    """Return the function calls of an `LlmResponse` in JSON."""
    return [part["function_call"] for part in get_parts(response.get("content")) if part.get("function_call")]


class SlotState(Enum):
    """What happened to a turn of the run."""

    UNPLAYED = auto()
    STALE = auto()
    """Not played, and recorded after a turn that has changed."""
    OPEN = auto()
    """The agent's own model is asked."""
    DONE = auto()


@dataclass(kw_only=True)
class TurnSlot:
    """A turn, and what happened to it."""

    key: StreamKey

    turn: CassetteTurn | None
    """The turn as it is recorded; None if it has not been answered yet."""

    state: SlotState

    def list_call_ids(self) -> dict[str, list[str]]:
        """Return the ids of the recorded calls, by tool, which the calls of a new answer get again."""
        ids: dict[str, list[str]] = {}
        for response in self.turn.responses if self.turn else ():
            for call in list_calls(response.value):
                ids.setdefault(call.get("name") or "", []).append(call.get("id") or "")
        return ids


class CassetteCursor:
    """A session of a cassette while a run of it is played or recorded."""

    def __init__(
        self, session: CassetteSession, run_index: int, message: CassetteBlock, origin: CassetteSession | None
    ) -> None:
        """Begin a run.

        Args:
            session: The session with the runs before; it may have this and later ones already.
            run_index: The number of the run, from 0.
            message: The message of the user, if the session has no such run yet.
            origin: What the file had of the session when it was read; None if it had nothing.
        """
        self.origin = origin
        self.is_changed = False
        """Whether the run is not as it was in the session."""
        self._session = session
        self._run_index = run_index
        known = session.runs[run_index] if run_index < len(session.runs) else None
        self._message = known.message if known else message
        self._slots = [
            TurnSlot(key=turn.key, turn=turn, state=SlotState.UNPLAYED) for turn in (known.turns if known else ())
        ]

    def find_next(self, agent_name: str, path: AgentPath) -> TurnSlot | None:
        """Return the next recorded turn of an agent that was not played; None if there is none."""
        # Reversed, so that the first waiting turn of each agent wins.
        waiting = {slot.key: slot for slot in reversed(self._slots) if self._is_waiting(slot)}
        key = find_stream(waiting, agent_name, path)
        return waiting[key] if key is not None else None

    def reopen(self, key: StreamKey, slot: TurnSlot | None) -> TurnSlot:
        """Return the place of a turn that is recorded now: that of a recorded one, or a new one at the end."""
        if slot is None:
            slot = TurnSlot(key=key, turn=None, state=SlotState.OPEN)
            self._slots.append(slot)
        slot.state = SlotState.OPEN
        for later in self._slots[self._slots.index(slot) + 1 :]:
            if later.key == slot.key and later.state is SlotState.UNPLAYED:
                later.state = SlotState.STALE
        self.is_changed = True
        return slot

    def finish_run(self) -> int:
        """Leave out what was not played, if something else was recorded; return how many turns were not played."""
        waiting = [slot for slot in self._slots if self._is_waiting(slot)]
        if self.is_changed:
            self._slots = [slot for slot in self._slots if not self._is_waiting(slot)]
        return len(waiting)

    def build_session(self) -> CassetteSession:
        """Return the session as it is now."""
        # A copy, because this runs in the thread that writes, while agents may begin turns in the event loop.
        turns = [slot.turn for slot in list(self._slots) if slot.turn and slot.state is not SlotState.STALE]
        runs = list(self._session.runs)
        runs[self._run_index : self._run_index + 1] = [CassetteRun(message=self._message, turns=tuple(turns))]
        return replace(self._session, runs=tuple(runs))

    @staticmethod
    def _is_waiting(slot: TurnSlot) -> bool:
        return slot.state in (SlotState.UNPLAYED, SlotState.STALE)

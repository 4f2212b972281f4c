"""Replays a run up to a turn, with recorded decisions and results in the seats, and finds how it differs.

    model seat --> answer_turn --+
    tool seat  --> find_outcome -+--> what was recorded, in the order in which it was recorded
    link       --> expect -------+--> what happens is compared; it is on the timeline already and not appended again

Agents that run side by side are kept in their recorded order: a decision or a result is given only when everything that
was recorded before it has happened again. The first model call without a recorded decision is where the replay ends:
it waits until the other agents have got there too, then everything goes to the timeline again.
"""

from __future__ import annotations

import asyncio
import json
import re
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import cast

from google.adk.models.llm_response import LlmResponse

from adk_agent_sim.adk.runs.replay_watch import get_replay_watch
from adk_agent_sim.adk.time_travel.recorded_outcome import LoadArtifact, RecordedOutcome, build_error
from adk_agent_sim.golden.recording import StreamKey, build_recording
from adk_agent_sim.timeline.blocks import pack_ids
from adk_agent_sim.timeline.canonical_json import Json, equals_value
from adk_agent_sim.timeline.events import (
    AgentEvent,
    AgentPath,
    ArtifactSaved,
    EnvironmentDecided,
    Event,
    Payload,
    Player,
    ToolFailed,
    ToolFinished,
    ToolStarted,
    TurnAsked,
    TurnDecided,
    UserSpoke,
)
from adk_agent_sim.timeline.framework_calls import is_request_call
from adk_agent_sim.timeline.model_request import RequestBlocks
from adk_agent_sim.timeline.state_edits import find_state_edit

_IDS_AND_TIMES = frozenset({"id", "timestamp", "invocation_id"})
_MAX_VALUE_LENGTH = 120


def find_request_difference(recorded: TurnAsked, request: RequestBlocks) -> str:
    """Return which part of a model request differs; empty if none does."""
    if request.instruction.block_id != recorded.instruction:
        return "the instruction"
    if request.tools.block_id != recorded.tools:
        return "the list of tools"
    if request.config.block_id != recorded.config:
        return "the settings"
    if pack_ids([block.block_id for block in request.contents], lambda _: None) != recorded.contents:
        return "the conversation"
    return ""


def find_event_difference(recorded: AgentEvent, emitted: AgentEvent) -> str:
    """Return how an event of an agent differs; empty if it does not."""
    if equals_value(recorded.event, emitted.event):
        return ""
    before, now = _normalize_event(recorded.event), _normalize_event(emitted.event)
    return "" if equals_value(before, now) else _describe_first(before, now, "")


def find_value_difference(recorded: Json, found: Json) -> str:
    """Return how a JSON value differs; empty if it does not."""
    return "" if equals_value(recorded, found) else _describe_first(recorded, found, "")


def describe_event(event: Event) -> str:
    """Return what an event is, for people."""
    who = f" of agent {event.agent_name!r}" if event.agent_name else ""
    name = getattr(event.payload, "tool_name", "") or getattr(event.payload, "filename", "")
    kind = {
        "TurnAsked": "a turn",
        "TurnDecided": "a decision",
        "ToolStarted": "the call",
        "ToolFinished": "the end of a call",
        "ToolFailed": "the failure of a call",
        "AgentEvent": "an event",
        "ArtifactSaved": "the artifact",
        "UserSpoke": "the user message",
    }.get(type(event.payload).__name__, "an event")
    why = (
        f" ({event.payload.error_type}: {event.payload.error_message})" if isinstance(event.payload, ToolFailed) else ""
    )
    return f"{kind}{f' {name}' if name else ''}{who}{why}"


def _normalize_event(event: Json) -> dict[str, Json]:
    """Return an ADK event without ids and times, also those of ADK's own request calls."""
    value = {name: inner for name, inner in cast("Mapping[str, Json]", event).items() if name not in _IDS_AND_TIMES}
    content: Mapping[str, Json] = value.get("content") or {}
    parts: Sequence[Mapping[str, Json]] = content.get("parts") or ()
    if any(_is_request(part) for part in parts):
        value["content"] = {**content, "parts": [_remove_request_id(part) for part in parts]}
        # ADK's request calls are among them, and their ids are random.
        value.pop("long_running_tool_ids", None)
    return value


def _is_request(part: Mapping[str, Json]) -> bool:
    call: Mapping[str, Json] = part.get("function_call") or {}
    return is_request_call(call.get("name") or "")


def _remove_request_id(part: Mapping[str, Json]) -> Mapping[str, Json]:
    if not _is_request(part):
        return part
    call = cast("Mapping[str, Json]", part["function_call"])
    return {**part, "function_call": {name: value for name, value in call.items() if name != "id"}}


def _describe_first(before: Json, now: Json, path: str) -> str:
    """Describe the first place at which two JSON values differ."""
    if isinstance(before, dict) and isinstance(now, dict):
        old_fields, new_fields = cast("dict[str, Json]", before), cast("dict[str, Json]", now)
        for key in sorted({*old_fields, *new_fields}):
            old, new = old_fields.get(key), new_fields.get(key)
            if not equals_value(old, new):
                return _describe_first(old, new, f"{path}.{key}" if path else key)
    if isinstance(before, list) and isinstance(now, list):
        for index, (old, new) in enumerate(zip(cast("list[Json]", before), cast("list[Json]", now), strict=False)):
            if not equals_value(old, new):
                return _describe_first(old, new, f"{path}[{index}]")
    where = f"{path} " if path else ""
    return f"{where}was {_shorten(before)} and is now {_shorten(now)}"


def _shorten(value: Json) -> str:
    if value is None:
        return "missing"
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _MAX_VALUE_LENGTH else f"{text[:_MAX_VALUE_LENGTH]}..."


_RAISED_ERROR = re.compile(r"[A-Za-z_]\w*[a-z]\w*")
"""The class name of an exception; what models return as an error code is in upper case."""


@dataclass(frozen=True, slots=True)
class _RecordedTurn:
    asked: int
    decided: int


class RunReplay:
    """The events of an interrupted run, each of which happens again exactly once."""

    def __init__(
        self,
        events: Sequence[Event],
        load_artifact: LoadArtifact,
        activate: Callable[[], Awaitable[object]],
        *,
        is_lenient: bool = False,
    ) -> None:
        """Replay a run.

        Args:
            events: The events of the run before the turn, from the user message on.
            load_artifact: Reads the recorded artifacts.
            activate: Called once, when everything has happened again, before anything is appended to the timeline.
            is_lenient: Do not compare, and append everything that happens to the timeline.
        """
        self.is_lenient = is_lenient
        self.repeated_ids: dict[str, str] = {}
        """The ids of the ADK events now, by the ids that they have on the timeline."""
        self.repeat_edit: Callable[[AgentEvent], Awaitable[object]] = _ignore_edit
        """Edits the state as a person did while a turn was waiting."""
        self._events, self._edits = _split_edits(_remove_inner_events(events))
        self._load_artifact = load_artifact
        self._activate = activate
        self._watch = get_replay_watch()
        self._progress = 0
        """How often something has happened."""
        self._decisions = _list_decisions(events)
        self._is_matched = [False] * len(self._events)
        self._next = 0
        """The first event that has not happened again."""
        self._turns: dict[StreamKey, deque[_RecordedTurn]] = {}
        self._emitted: dict[StreamKey, deque[int]] = {}
        self._by_identity: dict[tuple[type[Payload], str], deque[int]] = {}
        self._waiters: list[tuple[int, asyncio.Future[None]]] = []
        self._activation: asyncio.Task[object] | None = None
        self._result: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        """The first difference; empty when the replay has reached its end."""
        self._outer_calls = {event.agent_path.parent_call_id for event in self._events if event.agent_path is not None}
        """The calls inside of which agents run again."""
        self._index_events()

    def _index_events(self) -> None:
        asked: dict[str, int] = {}
        for index, event in enumerate(self._events):
            key = StreamKey(agent_name=event.agent_name, path=event.agent_path or AgentPath())
            match event.payload:
                case TurnAsked():
                    asked[event.turn_id] = index
                case TurnDecided():
                    self._turns.setdefault(key, deque()).append(_RecordedTurn(asked[event.turn_id], index))
                case AgentEvent():
                    self._emitted.setdefault(key, deque()).append(index)
                case payload:
                    self._by_identity.setdefault((type(payload), _get_identity(payload)), deque()).append(index)

    @property
    def is_over(self) -> bool:
        """Whether the session is live: everything that happens now is appended to the timeline."""
        return self._activation is not None and self._activation.done()

    async def wait(self) -> str:
        """Wait for the end of the replay; returns the first difference, empty if there is none.

        Who watches is told what it waits for, if nothing happens for a while.
        """
        reported = ""
        while not self._result.done():
            before = self._progress
            # Not `wait_for`, which would cancel the result when the time is over.
            await asyncio.wait({self._result}, timeout=self._watch.report_after)
            is_waiting = not self._result.done() and self._progress == before
            waits_for = self._describe_wait() if is_waiting else ""
            if waits_for != reported:
                reported = waits_for
                self._watch.on_wait(reported)
        return self._result.result()

    def _describe_wait(self) -> str:
        missing = "" if self.is_lenient else self.describe_missing()
        if missing and self._waiters:  # otherwise the agent's own code takes its time
            return f"{missing}, for {self._watch.limit:g} seconds at most"
        return missing or "the next model call, which the agent's own code has not made yet"

    def fail(self, difference: str) -> None:
        """End the replay with a difference, unless it has ended."""
        if not self._result.done():
            self._result.set_result(difference)

    async def answer_turn(self, request: RequestBlocks, agent_name: str, path: AgentPath) -> LlmResponse | None:
        """Return the recorded decision of an agent's next turn; None if it has to be decided again."""
        key = StreamKey(agent_name=agent_name, path=path)
        if key not in self._turns:
            return None
        self._progress += 1
        turn = self._turns[key].popleft()
        if not self._turns[key]:
            del self._turns[key]
        asked, decided = self._events[turn.asked], self._events[turn.decided]
        if not self.is_lenient:
            if isinstance(asked.payload, TurnAsked) and (part := find_request_difference(asked.payload, request)):
                await self._stop(f"{part} that the model of agent {agent_name!r} gets is different")
            self._match(turn.asked)
            await self._wait_for_earlier(turn.decided)
            self._match(turn.decided)
        await self._repeat_edits(turn.decided)
        return _build_response(self._decisions[decided.turn_id])

    def find_outcome(self, call_id: str) -> RecordedOutcome | None:
        """Return how a call ended; None if it has to run."""
        indexes = self._by_identity.get((ToolFinished, call_id)) or self._by_identity.get((ToolFailed, call_id))
        if not indexes or call_id in self._outer_calls:
            return None
        index = indexes[0]
        event = self._events[index]
        assert isinstance(event.payload, ToolFinished | ToolFailed)  # noqa: S101 - as indexed
        return RecordedOutcome(
            payload=event.payload,
            player=event.player or Player.REAL,
            load_artifact=self._load_artifact,
            wait=lambda: self._wait_for_outcome(index),
        )

    def has_call(self, call_id: str) -> bool:
        """Return whether a call was made in the replayed run."""
        return (ToolStarted, call_id) in self._by_identity

    async def expect(self, payload: Payload, agent_name: str, path: AgentPath | None) -> bool:
        """Compare what happens with what was recorded; False if nothing was recorded, and it is to be appended."""
        if self.is_over or self.is_lenient:
            return False
        if isinstance(payload, AgentEvent):
            indexes = self._emitted.get(StreamKey(agent_name=agent_name, path=path or AgentPath()))
        else:
            indexes = self._by_identity.get((type(payload), _get_identity(payload)))
        if not indexes:
            return False
        index = indexes.popleft()
        if difference := _find_difference(self._events[index].payload, payload):
            await self._stop(f"{describe_event(self._events[index])} is different: {difference}")
        if isinstance(payload, AgentEvent) and isinstance(recorded := self._events[index].payload, AgentEvent):
            self.repeated_ids[recorded.event.get("id") or ""] = payload.event.get("id") or ""
        self._match(index)
        return True

    async def go_live(self, what: str) -> None:
        """Wait until everything that was recorded has happened again; then the timeline takes what happens.

        Args:
            what: What would be appended, for the message if the rest never happens.
        """
        if self._result.done() and self._result.result():
            await asyncio.Event().wait()  # the run is being cancelled
        if not self.is_lenient:
            await self._wait_for_earlier(len(self._events), what)
        if self._activation is None:
            self._activation = asyncio.ensure_future(self._activate())
        # Parallel agents share one activation, which must go on for the others if one of them is cancelled.
        await asyncio.shield(self._activation)
        if not self._result.done():
            self._result.set_result("")

    def describe_missing(self) -> str:
        """Return the first recorded event that has not happened again."""
        return describe_event(self._events[self._next]) if self._next < len(self._events) else ""

    def _match(self, index: int) -> None:
        self._is_matched[index] = True
        self._progress += 1
        while self._next < len(self._events) and self._is_matched[self._next]:
            self._next += 1
        for _, waiter in [each for each in self._waiters if each[0] <= self._next]:
            if not waiter.done():
                waiter.set_result(None)

    async def _wait_for_earlier(self, index: int, what: str = "") -> None:
        """Wait until everything before a recorded event has happened again."""
        while self._next < index and not self.is_lenient:
            waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiters.append((index, waiter))
            before = self._next
            try:
                await asyncio.wait({waiter}, timeout=self._watch.limit)
            finally:
                self._waiters.remove((index, waiter))
            # The limit counts from the last progress: a long replay may take longer than that as a whole.
            if self._next == before:
                instead = f"; instead came {what}" if what else ""
                await self._stop(f"{self.describe_missing()} was recorded and did not happen{instead}")

    async def _wait_for_outcome(self, index: int) -> None:
        await self._wait_for_earlier(index)
        await self._repeat_edits(index)

    async def _repeat_edits(self, index: int) -> None:
        """Edit the state as it was edited before a recorded event."""
        while self._edits and self._edits[0][0] <= index:
            await self.repeat_edit(self._edits.popleft()[1])

    async def _stop(self, difference: str) -> None:
        """End the replay with a difference and block: the run must not go on, and will be cancelled."""
        self.fail(difference)
        await asyncio.Event().wait()


def _remove_inner_events(events: Sequence[Event]) -> list[Event]:
    """Return the events without those inside calls whose recorded result is given: the agent in them does not run."""
    ended = {event.payload.call_id for event in events if isinstance(event.payload, ToolFinished | ToolFailed)}
    emitting = {
        event.agent_path.parent_call_id
        for event in events
        if isinstance(event.payload, AgentEvent) and event.agent_path is not None
    }
    skipped = ended - emitting
    kept: list[Event] = []
    for event in events:
        parent = event.agent_path.parent_call_id if event.agent_path is not None else ""
        if parent and parent in skipped:
            if isinstance(event.payload, ToolStarted):
                # What runs inside of a call that is skipped makes no calls either.
                skipped.add(event.payload.call_id)
        elif isinstance(
            event.payload,
            UserSpoke | TurnAsked | TurnDecided | ToolStarted | ToolFinished | ToolFailed | AgentEvent | ArtifactSaved,
        ):
            kept.append(event)
    return kept


def _split_edits(events: Sequence[Event]) -> tuple[list[Event], deque[tuple[int, AgentEvent]]]:
    """Return what happens again by itself, and the edits of the state, each with the index of what came after it."""
    kept: list[Event] = []
    edits: deque[tuple[int, AgentEvent]] = deque()
    for event in events:
        if isinstance(event.payload, AgentEvent) and find_state_edit(event):
            edits.append((len(kept), event.payload))
        else:
            kept.append(event)
    return kept, edits


async def _ignore_edit(edit: AgentEvent) -> None:
    """Do nothing; the default of `repeat_edit`."""


def _list_decisions(events: Sequence[Event]) -> Mapping[str, Mapping[str, Json]]:
    """Return the decisions by turn; their calls have the ids that the results refer to."""
    runs = build_recording(events).runs
    return {decision.turn_id: decision.response for run in runs for decision in run.decisions}


def _build_response(response: Mapping[str, Json]) -> LlmResponse:
    """Return a recorded decision; raise the error that the model raised, if it is one."""
    code, message = response.get("error_code"), response.get("error_message")
    if isinstance(code, str) and set(response) <= {"error_code", "error_message"} and _RAISED_ERROR.fullmatch(code):
        raise build_error(code, str(message or ""))
    return LlmResponse.model_validate(response)


def _get_identity(payload: Payload) -> str:
    match payload:
        case ToolStarted(call_id=call_id) | ToolFinished(call_id=call_id) | ToolFailed(call_id=call_id):
            return call_id
        case EnvironmentDecided(call_id=call_id):
            return call_id
        case ArtifactSaved(filename=filename, version=version):
            return f"{version} {filename}"
        case _:
            return ""


def _find_difference(recorded: Payload, found: Payload) -> str:
    match recorded, found:
        case AgentEvent(), AgentEvent():
            return find_event_difference(recorded, found)
        case ToolStarted(), ToolStarted():
            return find_value_difference(dict(recorded.arguments), dict(found.arguments))
        case ToolFinished(), ToolFinished():
            return find_value_difference(recorded.result, found.result)
        case ArtifactSaved(), ArtifactSaved():
            return "" if recorded.block == found.block else "it has other content"
        case _:
            return ""

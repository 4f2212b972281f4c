"""A recording of a session: for each user message, what every agent decided and what its tools returned.

    Recording --> RecordedRun (one per user message) --+--> decisions, in one stream per agent   played by a model seat
                                                       +--> calls with their responses, texts    compared, mocked

It consists of JSON values and does not depend on ADK. It is built from the events of a timeline, or by
`recording_files.py` from a file. An agent that runs twice, or inside a tool of another agent, has one stream for each
of its paths; EvalSets know no paths, and some do not even name the agents.

A timeline has the models' decisions as they were made. One that was imported from a file of ADK has not: there, what
the agents emitted is taken for their decisions.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import cast

from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.content_parts import extract_visible_text, get_parts, wrap_result
from adk_agent_sim.timeline.events import (
    AgentEvent,
    AgentPath,
    Event,
    RunEnded,
    RunOutcome,
    ToolFailed,
    ToolFinished,
    ToolStarted,
    TurnDecided,
    UserSpoke,
)
from adk_agent_sim.timeline.framework_calls import SET_MODEL_RESPONSE, is_request_call
from adk_agent_sim.timeline.history import find_agent_joined, is_user_query
from adk_agent_sim.timeline.state_edits import compute_initial_state, find_state_edit
from adk_agent_sim.timeline.undone_events import remove_undone_events


@dataclass(frozen=True, kw_only=True, slots=True)
class StreamKey:
    """Identifies the decisions of one agent in a run."""

    agent_name: str = ""
    """The agent; empty if the source does not name it."""

    path: AgentPath | None = None
    """Where it ran; None if the source does not say."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordedDecision:
    """What a model answered to one request."""

    key: StreamKey

    response: Mapping[str, Json]
    """An `LlmResponse`; its calls have the ids by which calls and paths refer to them."""

    turn_id: str = ""
    """The turn on the timeline; empty if the source has no turns."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordedToolCall:
    """A tool call, and what the model got for it."""

    key: StreamKey
    call_id: str
    tool_name: str
    arguments: Mapping[str, Json]

    response: Mapping[str, Json] | None
    """What the model got; None if the source has no response."""

    actions: Mapping[str, Json]
    """What the tool requested of ADK, such as changes of the state."""

    error: str = ""
    """The exception that the tool raised, if it did and the source says so."""


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordedText:
    """A text that an agent emitted, other than the final response."""

    key: StreamKey
    text: str


@dataclass(frozen=True, kw_only=True, slots=True)
class RecordedRun:
    """What followed one message of the user."""

    message: Json
    """The message, a `types.Content`."""

    is_query: bool
    """Whether the message begins a user turn; one that only answers a call, such as consent, continues it."""

    decisions: Sequence[RecordedDecision]
    calls: Sequence[RecordedToolCall]
    texts: Sequence[RecordedText]

    final_text: str | None
    """The final response; None if the source does not say which one it was."""

    outcome: RunOutcome | None
    """How the run ended; None if it has not ended, or the source does not say."""

    error: str = ""
    """Why the run failed, if it did."""

    state_edits: Mapping[str, Json] = field(default_factory=dict[str, Json])
    """What a person has set in the state after the run, before the next message."""

    keys_edited_in_run: Sequence[str] = ()
    """What a person has set while a turn of the run was waiting, which a replay of the recording does not do."""

    @property
    def stream_keys(self) -> frozenset[StreamKey]:
        """The agents whose decisions are known."""
        return frozenset(decision.key for decision in self.decisions)


@dataclass(frozen=True, kw_only=True, slots=True)
class Recording:
    """One session."""

    name: str
    """The eval id, or the id of the session."""

    app_name: str
    user_id: str

    state: Mapping[str, Json]
    """The session state before the first message."""

    runs: Sequence[RecordedRun]


class DecisionStreams:
    """The decisions of a run that have not been played yet."""

    def __init__(self, run: RecordedRun) -> None:
        self._streams: dict[StreamKey, deque[RecordedDecision]] = {}
        for decision in run.decisions:
            self._streams.setdefault(decision.key, deque()).append(decision)

    def take(self, agent_name: str, path: AgentPath) -> RecordedDecision | None:
        """Return the next decision of an agent; None if there are no more."""
        key = find_stream(self._streams, agent_name, path)
        if key is None:
            return None
        decision = self._streams[key].popleft()
        if not self._streams[key]:
            del self._streams[key]
        return decision

    def drop_text(self, agent_name: str, path: AgentPath, text: str) -> None:
        """Drop the next decision of an agent if it is this text, and may come from a callback instead of its model."""
        key = find_stream(self._streams, agent_name, path)
        if key is None:
            return
        decision = self._streams[key][0]
        if not decision.turn_id and _get_plain_text(decision) == text:
            self.take(agent_name, path)

    def iter_remaining(self) -> Iterator[RecordedDecision]:
        """Yield the decisions that were not played."""
        for stream in self._streams.values():
            yield from stream


def _get_plain_text(decision: RecordedDecision) -> str:
    """Return the text of a decision that is nothing but a text; otherwise an empty one."""
    content = decision.response.get("content")
    has_calls = any(part.get("function_call") for part in get_parts(content))
    return "" if has_calls else extract_visible_text(content)


def find_stream(keys: Mapping[StreamKey, object], agent_name: str, path: AgentPath) -> StreamKey | None:
    """Return the key that identifies an agent most precisely; None if there is none for it."""
    exact = StreamKey(agent_name=agent_name, path=path)
    if exact in keys:
        return exact
    # Another version of ADK may name the branches differently; the call that an agent runs in stays the same.
    inside_same_call = [
        key
        for key in keys
        if key.agent_name == agent_name and key.path is not None and key.path.parent_call_id == path.parent_call_id
    ]
    by_name = [key for key in (StreamKey(agent_name=agent_name), StreamKey()) if key in keys]
    return next(iter([*inside_same_call, *by_name]), None)


def build_recording(events: Sequence[Event], name: str = "") -> Recording:
    """Return the recording of a session, without what was undone.

    Args:
        events: The session's events, from the first on.
        name: How to call the recording; by default the id of the session.
    """
    events = remove_undone_events(events)
    joined = find_agent_joined(events)
    return Recording(
        name=name or (events[0].session_id if events else ""),
        app_name=joined.app_name if joined else "",
        user_id=joined.user_id if joined else "user",
        state=compute_initial_state(events),
        runs=[_RunBuilder(run).build() for run in _split_runs(events)],
    )


def _split_runs(events: Iterable[Event]) -> Iterator[list[Event]]:
    """Yield the events of each run; a run starts with a message of the user."""
    run: list[Event] = []
    for event in events:
        if isinstance(event.payload, UserSpoke):
            if run:
                yield run
            run = []
        if run or isinstance(event.payload, UserSpoke):
            run.append(event)
    if run:
        yield run


@dataclass(kw_only=True)
class _CallSlot:
    """A call in a decision, which gets its id only when ADK emits it or starts its tool."""

    name: str
    call_id: str


@dataclass(kw_only=True)
class _OpenCall:
    """A call whose response may still follow."""

    key: StreamKey
    tool_name: str
    arguments: Mapping[str, Json]
    response: Mapping[str, Json] | None = None
    actions: Mapping[str, Json] = field(default_factory=dict[str, Json])
    error: str = ""


class _RunBuilder:
    """Builds one run, event by event."""

    def __init__(self, events: Sequence[Event]) -> None:
        self._events = events
        self._decisions: list[tuple[RecordedDecision, list[_CallSlot]]] = []
        self._open_slots: dict[StreamKey, list[_CallSlot]] = {}
        """The calls of each agent's last decision."""
        self._calls: dict[str, _OpenCall] = {}
        self._texts: list[tuple[int, RecordedText]] = []
        self._emitting_keys: set[StreamKey] = set()
        """The agents whose own events are on the timeline; those of agents used as tools are not."""
        self._final_index = -1
        self._final_text = ""
        self._ended: RunEnded | None = None

    def build(self) -> RecordedRun:
        """Return the run."""
        has_turns = any(isinstance(event.payload, TurnDecided) for event in self._events)
        for index, event in enumerate(self._events):
            self._apply(index, event)
        message = cast("UserSpoke", self._events[0].payload).content
        ended = self._ended
        ends = [index for index, event in enumerate(self._events) if isinstance(event.payload, RunEnded)]
        # An edit of the state after the end was made between two runs; before it, while a turn was waiting.
        last = ends[-1] if ends else len(self._events)
        in_run, after_run = self._events[:last], self._events[last:]
        return RecordedRun(
            message=message,
            is_query=is_user_query(message),
            decisions=self._get_decisions() if has_turns else _infer_decisions(self._events),
            calls=[RecordedToolCall(call_id=call_id, **vars(call)) for call_id, call in self._calls.items()],
            texts=[text for index, text in self._texts if index != self._final_index and self._is_emitted(index, text)],
            final_text=self._final_text,
            outcome=ended.outcome if ended else None,
            error=f"{ended.error_type}: {ended.error_message}" if ended and ended.error_type else "",
            state_edits={key: value for event in after_run for key, value in (find_state_edit(event) or {}).items()},
            keys_edited_in_run=[key for event in in_run for key in find_state_edit(event) or ()],
        )

    def _apply(self, index: int, event: Event) -> None:
        key = StreamKey(agent_name=event.agent_name, path=event.agent_path)
        match event.payload:
            case TurnDecided(response=response):
                self._add_decision(index, key, event.turn_id, response)
            case AgentEvent() as emitted:
                self._emitting_keys.add(key)
                self._apply_agent_event(index, key, emitted)
            case ToolStarted(call_id=call_id, tool_name=name, arguments=arguments):
                self._assign_id(key, name, call_id)
                # The call is known from the agent's event, unless the agent is used as a tool: its events are missing.
                self._calls.setdefault(call_id, _OpenCall(key=key, tool_name=name, arguments=arguments))
            case ToolFinished(call_id=call_id) as finished if call_id in self._calls:
                self._calls[call_id].response = wrap_result(finished.result)
                self._calls[call_id].actions = finished.actions
            case ToolFailed(call_id=call_id) as failed if call_id in self._calls:
                error = {"type": failed.error_type, "message": failed.error_message}
                self._calls[call_id].response = {"error": error}
                self._calls[call_id].error = f"{failed.error_type}: {failed.error_message}"
            case RunEnded() as ended:
                self._ended = ended
            case _:
                pass

    def _add_decision(self, index: int, key: StreamKey, turn_id: str, response: Mapping[str, Json]) -> None:
        calls = [part["function_call"] for part in get_parts(response.get("content")) if part.get("function_call")]
        slots = [_CallSlot(name=call.get("name") or "", call_id=call.get("id") or "") for call in calls]
        self._decisions.append((RecordedDecision(key=key, response=response, turn_id=turn_id), slots))
        self._open_slots[key] = slots
        if text := extract_visible_text(response.get("content")):
            self._texts.append((index, RecordedText(key=key, text=text)))

    def _apply_agent_event(self, index: int, key: StreamKey, emitted: AgentEvent) -> None:
        if emitted.event.get("author") == "user":
            return
        for part in get_parts(emitted.event.get("content")):
            call, response = part.get("function_call"), part.get("function_response")
            if call and not is_request_call(call.get("name") or ""):
                call_id = call.get("id") or ""
                self._assign_id(key, call.get("name") or "", call_id)
                self._calls[call_id] = _OpenCall(
                    key=key, tool_name=call.get("name") or "", arguments=call.get("args") or {}
                )
            elif response and (response.get("id") or "") in self._calls:
                self._calls[response.get("id") or ""].response = response.get("response") or {}
        text = extract_visible_text(emitted.event.get("content"))
        if text:
            self._texts.append((index, RecordedText(key=key, text=text)))
        # As in ADK, a final event without text does not replace one with text.
        if emitted.final and get_parts(emitted.event.get("content")) and (text or not self._final_text):
            self._final_index, self._final_text = index, text

    def _assign_id(self, key: StreamKey, tool_name: str, call_id: str) -> None:
        """Give the call's id to the first call of the agent's last decision that has none yet."""
        slots = self._open_slots.get(key, ())
        if any(slot.call_id == call_id for slot in slots):
            return
        for slot in slots:
            if not slot.call_id and slot.name == tool_name:
                slot.call_id = call_id
                return

    def _get_decisions(self) -> list[RecordedDecision]:
        return [
            replace(decision, response=_set_call_ids(decision.response, slots)) for decision, slots in self._decisions
        ]

    def _is_emitted(self, index: int, text: RecordedText) -> bool:
        """Return whether a text is in an event of its agent; if the agent has none, its decisions are all there is."""
        return isinstance(self._events[index].payload, AgentEvent) or text.key not in self._emitting_keys


def _infer_decisions(events: Sequence[Event]) -> list[RecordedDecision]:
    """Return the decisions behind what the agents emitted."""
    decisions: list[RecordedDecision] = []
    after_structured_response: set[str] = set()
    for event in events:
        if not isinstance(event.payload, AgentEvent) or event.payload.event.get("author") == "user":
            continue
        parts = get_parts(event.payload.event.get("content"))
        calls = [part["function_call"].get("name") for part in parts if part.get("function_call")]
        responses = [part["function_response"].get("name") for part in parts if part.get("function_response")]
        if SET_MODEL_RESPONSE in responses:
            after_structured_response.add(event.agent_name)
        if responses or not parts or any(is_request_call(name or "") for name in calls):
            continue
        if not calls and _repeats_structured_response(event.agent_name, after_structured_response):
            continue
        content = {"role": "model", "parts": list(parts)}
        key = StreamKey(agent_name=event.agent_name, path=event.agent_path)
        decisions.append(RecordedDecision(key=key, response={"content": content}, turn_id=event.turn_id))
    return decisions


def _repeats_structured_response(agent_name: str, waiting: set[str]) -> bool:
    """Return whether a text is a structured response, which ADK itself repeats as a text; if so, stop waiting for it.

    Args:
        agent_name: Who emitted the text; empty if the file does not say.
        waiting: The agents whose last response was structured.
    """
    found = waiting if not agent_name else waiting & {agent_name, ""}
    is_repeated = bool(found)
    waiting -= set(found)
    return is_repeated


def _set_call_ids(response: Mapping[str, Json], slots: Sequence[_CallSlot]) -> Mapping[str, Json]:
    if not slots:
        return response
    remaining = iter(slots)
    parts = [
        {**part, "function_call": {**part["function_call"], "id": next(remaining).call_id or None}}
        if part.get("function_call")
        else part
        for part in get_parts(response.get("content"))
    ]
    return {**response, "content": {**cast("Mapping[str, Json]", response["content"]), "parts": parts}}

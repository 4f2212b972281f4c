"""A recording of a session: for each user message, what every agent decided and what its tools returned.

    Recording --> RecordedRun (one per user message) --+--> decisions, in one stream per agent   played by a model seat
                                                       +--> calls with their responses, texts    compared, mocked

It consists of JSON values and does not depend on ADK. `recording_builder.py` makes it from a timeline and
`recording_files.py` from a file. An agent that runs twice, or inside a tool of another agent, has one stream for each
of its paths; EvalSets know no paths, and some do not even name the agents.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.content_parts import extract_visible_text, get_parts
from adk_agent_sim.timeline.events import AgentPath, RunOutcome


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

"""What can be on a timeline: one frozen value per kind of fact, joined in one union.

Kinds are past facts. Contents, responses and ADK events are held as JSON with Python field names (`function_call`, not
`functionCall`), exactly as `model_dump` of the google.genai and ADK types gives them; this room knows those types only
by their shape.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TypeAlias

from adk_agent_sim.timeline.blocks import PackedIds
from adk_agent_sim.timeline.canonical_json import Json


class Player(StrEnum):
    """Who takes a seat."""

    REAL = "real"
    """The agent's own model, or the tool's own code."""

    HUMAN = "human"
    """A person."""

    RECORDED = "recorded"
    """A golden trace, or a recorded answer."""

    SIMULATED = "simulated"
    """A scripted function, an injected fault, a mock."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentJoined:
    """An agent's session was put on the timeline; always the first fact of a run."""

    app_name: str
    """The ADK app."""

    user_id: str
    """The ADK user."""

    adk_session_id: str
    """The ADK session, which is not the timeline's."""

    state: Mapping[str, Json]
    """The session state before the first message."""


@dataclass(frozen=True, kw_only=True, slots=True)
class UserSpoke:
    """A user message was sent to the agent; it opens an invocation."""

    content: Json
    """The message, a `types.Content`."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnAsked:
    """A model call waits for a decision. Holds references; `Timeline.request` reassembles it."""

    invocation_id: str
    """The invocation that asks."""

    contents: PackedIds
    """The conversation, one block a content."""

    tools: str
    """The block that holds the list of tools."""

    instruction: str
    """The block that holds the system instruction."""

    config: str
    """The block that holds everything else in the request."""

    client_id: str = ""
    """The agent's process, where that can be told: without its stream the turn is abandoned after a while."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnDecided:
    """A player answered a turn; there is at most one for each."""

    decision_id: str
    """Made by who decided: sending the same one again is the same decision."""

    response: Json
    """The model's answer, an `LlmResponse`."""

    anyway: bool = False
    """Whether a person insisted on something that does not fit."""

    duration_ms: float | None = None
    """How long the model took, where that was measured."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnWithdrawn:
    """Nobody waits for the turn any longer, before anybody answered it."""

    abandoned: bool = False
    """Whether the agent's process went away, rather than cancelled its model call."""


@dataclass(frozen=True, kw_only=True, slots=True)
class TurnRevived:
    """The agent came back to a turn that nobody waited for any longer: it waits again, behind the others."""

    invocation_id: str
    """The invocation that asks."""


@dataclass(frozen=True, kw_only=True, slots=True)
class CancelAsked:
    """A person wants a running tool call to end; that it did is said by its `ToolFailed`."""

    call_id: str
    """The call."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolStarted:
    """The code of a tool began to run."""

    call_id: str
    """The function call's id, as ADK knows it."""

    tool_name: str
    """The tool, as the model calls it."""

    arguments: Mapping[str, Json]
    """What the tool was called with."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolFinished:
    """The code of a tool returned."""

    call_id: str
    """The call that it ends."""

    result: Json
    """What the tool returned, before ADK wraps it."""

    duration_ms: float
    """How long the code ran."""

    actions: Mapping[str, Json] = field(default_factory=dict[str, Json])
    """What the call asked of ADK: state_delta, artifact_delta, transfer_to_agent, escalate; only what it set."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ToolFailed:
    """The code of a tool raised, or its call was cancelled."""

    call_id: str
    """The call that it ends."""

    error_type: str
    """The exception's class name; `Cancelled` for a call that a person stopped."""

    error_message: str
    """What the exception says."""

    duration_ms: float
    """How long the code ran."""

    traceback: str | None = None
    """For people only: a model never sees it."""


@dataclass(frozen=True, kw_only=True, slots=True)
class EnvironmentDecided:
    """The simulated environment said what is to happen to a call, before anything of it happened."""

    call_id: str
    """The call."""

    tool_name: str
    """The tool, as the model calls it."""

    rule: str
    """The rule that answers; empty if none does and the tool itself runs."""

    actions: Json
    """What the rule does, in words: a list of texts."""

    passed_over: Json
    """The rules that were asked before: a list of objects with `rule` and `why` it does not answer."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentEvent:
    """ADK emitted an event: what the agent really said, called, got back and changed, after all callbacks."""

    invocation_id: str
    """The invocation it belongs to."""

    event: Json
    """The whole ADK `Event`."""

    final: bool
    """Whether ADK counts it as a final response."""


@dataclass(frozen=True, kw_only=True, slots=True)
class ArtifactSaved:
    """A version of an artifact was saved; its bytes are a block."""

    filename: str
    """The artifact's name."""

    version: int
    """0, 1, 2 ... as ADK counts."""

    mime_type: str
    """What the bytes are; `text/uri-list` for an artifact that is only referred to."""

    block: str
    """The block that holds the bytes."""


class RunOutcome(StrEnum):
    """How a run ended."""

    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, kw_only=True, slots=True)
class RunEnded:
    """The invocation is over."""

    invocation_id: str
    """The invocation."""

    outcome: RunOutcome
    """How it ended."""

    error_type: str = ""
    """The exception's class name, if it failed."""

    error_message: str = ""
    """What the exception says, if it failed."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Closed:
    """The session takes no more events, and nobody waits in it any longer."""

    reason: str
    """Why, for people."""

    cancelled: bool = False
    """Whether it was given up rather than completed."""


Payload: TypeAlias = (
    AgentJoined
    | UserSpoke
    | TurnAsked
    | TurnDecided
    | TurnWithdrawn
    | TurnRevived
    | CancelAsked
    | ToolStarted
    | ToolFinished
    | ToolFailed
    | EnvironmentDecided
    | AgentEvent
    | ArtifactSaved
    | RunEnded
    | Closed
)
"""Any fact."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Event:
    """A fact with its place on the timeline."""

    event_id: str
    """A UUID."""

    session_id: str
    """The session it belongs to."""

    seq: int
    """1, 2, 3 ... within the session, without gaps."""

    timestamp: float
    """Seconds since 1970, UTC; never less than that of the event before."""

    payload: Payload

    turn_id: str = ""
    """The model turn it belongs to, if any."""

    agent_name: str = ""
    """The agent it concerns, if any."""

    player: Player | None = None
    """Who did it, where a seat was taken; of a `TurnAsked`, who is to answer: a person unless said."""


@dataclass(frozen=True, kw_only=True, slots=True)
class Session:
    """A run of an agent on the timeline."""

    session_id: str
    """A UUID."""

    created_at: float
    """Seconds since 1970, UTC."""

    description: str = ""
    """For people."""

"""Sessions and events <-> the bytes of `adksim.v1` messages that a database keeps, without loss.

A request is stored as references to blocks and a response as canonical JSON text, which is not how they travel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import fields
from typing import Any, NamedTuple, TypeAlias

from google.protobuf.timestamp_pb2 import Timestamp

from adk_agent_sim.generated.adksim import v1
from adk_agent_sim.timeline import events as kinds
from adk_agent_sim.timeline.blocks import PackedIds
from adk_agent_sim.timeline.canonical import Json, decode, encode
from adk_agent_sim.timeline.events import Event, Outcome, Payload, Player, Session, TurnAsked, TurnDecided
from adk_agent_sim.timeline.files import mended

REQUEST = "request"
RESPONSE = "response"

_ID_BYTES = 16

_Fields: TypeAlias = dict[str, Any]

_FACTS: Mapping[str, type[Payload]] = {
    "agent_joined": kinds.AgentJoined,
    "user_spoke": kinds.UserSpoke,
    "turn_withdrawn": kinds.TurnWithdrawn,
    "turn_revived": kinds.TurnRevived,
    "cancel_asked": kinds.CancelAsked,
    "tool_started": kinds.ToolStarted,
    "tool_finished": kinds.ToolFinished,
    "tool_failed": kinds.ToolFailed,
    "environment_decided": kinds.EnvironmentDecided,
    "agent_event": kinds.AgentEvent,
    "artifact_saved": kinds.ArtifactSaved,
    "run_ended": kinds.RunEnded,
    "closed": kinds.Closed,
}
"""By their field in `SessionEvent`."""

_NAMES = {kind: name for name, kind in _FACTS.items()}
_PAYLOAD_TYPES = _NAMES | {TurnAsked: REQUEST, TurnDecided: RESPONSE}

_OUTCOMES = {outcome: v1.RunEnded.Outcome.Value(f"OUTCOME_{outcome.name}") for outcome in Outcome}
_OUTCOME_OF = {number: outcome for outcome, number in _OUTCOMES.items()}
PLAYERS: dict[Player, Any] = {player: v1.Player.Value(f"PLAYER_{player.name}") for player in Player}
PLAYER_OF: dict[int, Player] = {number: player for player, number in PLAYERS.items()}
"""By their numbers in a message; a number that says nothing, or nothing known, is not there."""


class _Field(NamedTuple):
    """How a fact's field is held by its message."""

    name: str
    stored: str
    put: Callable[[Any], Any]
    get: Callable[[Any], Any]


def _layout(kind: type[Payload]) -> list[_Field]:
    stored = {field.name for field in getattr(v1, kind.__name__).DESCRIPTOR.fields}
    return [_field(name, stored) for name in (field.name for field in fields(kind))]


def _field(name: str, stored: set[str]) -> _Field:
    if f"{name}_json" in stored:
        return _Field(name, f"{name}_json", _text, _value)
    if name == "outcome":
        return _Field(name, name, _OUTCOMES.__getitem__, _OUTCOME_OF.__getitem__)
    return _Field(name, name, _as_is, _as_is)


def _text(value: Json) -> str:
    return encode(value).decode("ascii")


def _value(text: str) -> Json:
    return decode(text.encode("ascii"))


def _as_is(value: Any) -> Any:
    return value


_LAYOUTS = {name: _layout(kind) for name, kind in _FACTS.items()}


def payload_type(payload: Payload) -> str:
    """The value of the column `payload_type`."""
    return _PAYLOAD_TYPES[type(payload)]


def milliseconds(seconds: float) -> int:
    """Of a moment, for columns that are searched and sorted."""
    return round(seconds * 1_000)


def encode_session(session: Session) -> bytes:
    """The bytes of a session's message."""
    return session_message(session).SerializeToString()


def session_message(session: Session) -> v1.SimulatorSession:
    """A session's `SimulatorSession`. Half a surrogate pair in the description becomes U+FFFD."""
    description = _mended(session.description)
    return v1.SimulatorSession(
        id=session.session_id, created_at=_timestamp(session.created_at), description=description
    )


def decode_session(blob: bytes) -> Session:
    """The session that was encoded."""
    return message_session(v1.SimulatorSession.FromString(blob))


def message_session(stored: v1.SimulatorSession) -> Session:
    """The session that a message was made of."""
    return Session(session_id=stored.id, created_at=_seconds(stored.created_at), description=stored.description)


def encode_event(event: Event) -> bytes:
    """The bytes of an event's message."""
    return event_message(event).SerializeToString()


def event_message(event: Event) -> v1.SessionEvent:
    """An event's `SessionEvent`; its `seq` is left out if it has none yet."""
    stored = _exact_message(event.payload)
    stored.event_id = event.event_id
    stored.session_id = event.session_id
    stored.seq = event.seq
    stored.turn_id = event.turn_id
    stored.agent_name = event.agent_name
    if event.player:
        stored.player = PLAYERS[event.player]
    stored.timestamp.CopyFrom(_timestamp(event.timestamp))
    if _seconds(stored.timestamp) != event.timestamp:
        stored.exact_time = event.timestamp
    return stored


def numbered(blob: bytes, seq: int) -> bytes:
    """The bytes of an event with its `seq`, which is known only while it is written.

    Bytes of messages that are put one behind the other are the merged message.
    """
    return blob + v1.SessionEvent(seq=seq).SerializeToString()


def decode_event(blob: bytes) -> Event:
    """The event that was encoded."""
    return message_event(v1.SessionEvent.FromString(blob))


def message_event(stored: v1.SessionEvent) -> Event:
    """The event that a message was made of; ValueError if it holds none."""
    exact = stored.exact_time if stored.HasField("exact_time") else _seconds(stored.timestamp)
    return Event(
        event_id=stored.event_id,
        session_id=stored.session_id,
        seq=stored.seq,
        timestamp=exact,
        payload=_payload(stored),
        turn_id=stored.turn_id,
        agent_name=stored.agent_name,
        player=PLAYER_OF.get(stored.player),
    )


def _exact_message(payload: Payload) -> v1.SessionEvent:
    try:
        return _message(payload, _as_is)
    except UnicodeEncodeError:
        # A string of a message cannot hold half a surrogate pair: the text is mended there, and exact beside it.
        stored = _message(payload, _mended)
        stored.texts_json = _text(dict(_texts(payload)))
        return stored


def _mended(value: Any) -> Any:
    return mended(value) if isinstance(value, str) else value


def _texts(payload: Payload) -> Iterator[tuple[str, str]]:
    for field in fields(payload):
        value = getattr(payload, field.name)
        if value != _mended(value):
            yield field.name, value


def _message(payload: Payload, plain: Callable[[Any], Any]) -> v1.SessionEvent:
    match payload:
        case TurnAsked():
            asked = asked_message(payload)
            plain(payload.client_id).encode()  # who cannot travel is told beside the message, as every other text
            return v1.SessionEvent(turn_asked=asked, invocation_id=plain(payload.invocation_id))
        case TurnDecided():
            decided = v1.TurnDecided(response_json=_text(payload.response), duration_ms=payload.duration_ms)
            return v1.SessionEvent(turn_decided=decided, decision_id=plain(payload.decision_id), anyway=payload.anyway)
        case _:
            name = _NAMES[type(payload)]
            stored = v1.SessionEvent()
            fact = getattr(stored, name)
            fact.SetInParent()
            for field in _LAYOUTS[name]:
                value = getattr(payload, field.name)
                if value is not None or field.put is _text:
                    setattr(fact, field.stored, plain(field.put(value)))
            return stored


def _payload(stored: v1.SessionEvent) -> Payload:
    texts: _Fields = _value(stored.texts_json) if stored.texts_json else {}
    match stored.WhichOneof("payload"):
        case "turn_asked":
            return TurnAsked(**_asked(stored) | texts)
        case "turn_decided":
            return TurnDecided(**_decided(stored) | texts)
        case str(name) if name in _FACTS:
            return _FACTS[name](**_fact(getattr(stored, name), _LAYOUTS[name]) | texts)
        case name:
            raise ValueError(f"event {stored.event_id!r} has a payload that is never stored: {name}")


def _asked(stored: v1.SessionEvent) -> _Fields:
    asked = stored.turn_asked
    return {"invocation_id": stored.invocation_id, **_references(asked)}


def asked_message(asked: TurnAsked) -> v1.TurnAsked:
    """The references of a request."""
    return v1.TurnAsked(
        contents=[_joined(level) for level in asked.contents],
        tools=bytes.fromhex(asked.tools),
        instruction=bytes.fromhex(asked.instruction),
        config=bytes.fromhex(asked.config),
        client_id=_mended(asked.client_id),
    )


def message_asked(message: v1.TurnAsked, invocation_id: str) -> TurnAsked:
    """What a message of references asks."""
    return TurnAsked(invocation_id=invocation_id, **_references(message))


def _references(asked: v1.TurnAsked) -> _Fields:
    return {
        "contents": _packed(asked.contents),
        "tools": asked.tools.hex(),
        "instruction": asked.instruction.hex(),
        "config": asked.config.hex(),
        "client_id": asked.client_id,
    }


def _decided(stored: v1.SessionEvent) -> _Fields:
    decided = stored.turn_decided
    return {
        "decision_id": stored.decision_id,
        "response": _value(decided.response_json),
        "anyway": stored.anyway,
        "duration_ms": decided.duration_ms if decided.HasField("duration_ms") else None,
    }


def _fact(message: Any, layout: list[_Field]) -> _Fields:
    return {
        field.name: field.get(getattr(message, field.stored))
        for field in layout
        if field.name != "traceback" or message.HasField("traceback")
    }


def _joined(level: tuple[str, ...]) -> bytes:
    return bytes.fromhex("".join(level))


def _packed(levels: Any) -> PackedIds:
    return tuple(
        tuple(level[start : start + _ID_BYTES].hex() for start in range(0, len(level), _ID_BYTES)) for level in levels
    )


def _timestamp(seconds: float) -> Timestamp:
    whole = int(seconds // 1)
    nanos = round((seconds - whole) * 1_000_000_000)
    return Timestamp(seconds=whole + nanos // 1_000_000_000, nanos=nanos % 1_000_000_000)


def _seconds(timestamp: Timestamp) -> float:
    return timestamp.seconds + timestamp.nanos / 1_000_000_000

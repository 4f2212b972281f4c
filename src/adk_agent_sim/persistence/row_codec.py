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
from adk_agent_sim.timeline.atomic_files import replace_lone_surrogates
from adk_agent_sim.timeline.blocks import PackedIds
from adk_agent_sim.timeline.canonical_json import Json, decode_json, encode_json
from adk_agent_sim.timeline.events import Event, Payload, Player, RunOutcome, Session, TurnAsked, TurnDecided

REQUEST_TYPE = "request"
RESPONSE_TYPE = "response"

_ID_BYTES = 16

_PayloadFields: TypeAlias = dict[str, Any]

_PAYLOAD_CLASSES: Mapping[str, type[Payload]] = {
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

_MESSAGE_FIELDS = {kind: name for name, kind in _PAYLOAD_CLASSES.items()}
_PAYLOAD_TYPES = _MESSAGE_FIELDS | {TurnAsked: REQUEST_TYPE, TurnDecided: RESPONSE_TYPE}

_OUTCOME_NUMBERS = {outcome: v1.RunEnded.Outcome.Value(f"OUTCOME_{outcome.name}") for outcome in RunOutcome}
_OUTCOMES_BY_NUMBER = {number: outcome for outcome, number in _OUTCOME_NUMBERS.items()}
PLAYER_NUMBERS: dict[Player, Any] = {player: v1.Player.Value(f"PLAYER_{player.name}") for player in Player}
PLAYERS_BY_NUMBER: dict[int, Player] = {number: player for player, number in PLAYER_NUMBERS.items()}
"""By their numbers in a message; a number that says nothing, or nothing known, is not there."""


class _FieldCodec(NamedTuple):
    """How a fact's field is held by its message."""

    name: str
    message_field: str
    to_message: Callable[[Any], Any]
    from_message: Callable[[Any], Any]


def _build_codecs(kind: type[Payload]) -> list[_FieldCodec]:
    stored = {field.name for field in getattr(v1, kind.__name__).DESCRIPTOR.fields}
    return [_build_field_codec(name, stored) for name in (field.name for field in fields(kind))]


def _build_field_codec(name: str, message_fields: set[str]) -> _FieldCodec:
    if f"{name}_json" in message_fields:
        return _FieldCodec(name, f"{name}_json", _to_json_text, _from_json_text)
    if name == "outcome":
        return _FieldCodec(name, name, _OUTCOME_NUMBERS.__getitem__, _OUTCOMES_BY_NUMBER.__getitem__)
    return _FieldCodec(name, name, _identity, _identity)


def _to_json_text(value: Json) -> str:
    return encode_json(value).decode("ascii")


def _from_json_text(text: str) -> Json:
    return decode_json(text.encode("ascii"))


def _identity(value: Any) -> Any:
    return value


_FIELD_CODECS = {name: _build_codecs(kind) for name, kind in _PAYLOAD_CLASSES.items()}


def get_payload_type(payload: Payload) -> str:
    """The value of the column `payload_type`."""
    return _PAYLOAD_TYPES[type(payload)]


def to_milliseconds(seconds: float) -> int:
    """Of a moment, for columns that are searched and sorted."""
    return round(seconds * 1_000)


def encode_session(session: Session) -> bytes:
    """The bytes of a session's message."""
    return to_session_message(session).SerializeToString()


def to_session_message(session: Session) -> v1.SimulatorSession:
    """A session's `SimulatorSession`. Half a surrogate pair in the description becomes U+FFFD."""
    description = _sanitize_text(session.description)
    return v1.SimulatorSession(
        id=session.session_id, created_at=_to_timestamp(session.created_at), description=description
    )


def decode_session(blob: bytes) -> Session:
    """The session that was encoded."""
    return from_session_message(v1.SimulatorSession.FromString(blob))


def from_session_message(message: v1.SimulatorSession) -> Session:
    """The session that a message was made of."""
    return Session(session_id=message.id, created_at=_to_seconds(message.created_at), description=message.description)


def encode_event(event: Event) -> bytes:
    """The bytes of an event's message."""
    return to_event_message(event).SerializeToString()


def to_event_message(event: Event) -> v1.SessionEvent:
    """An event's `SessionEvent`; its `seq` is left out if it has none yet."""
    stored = _encode_payload(event.payload)
    stored.event_id = event.event_id
    stored.session_id = event.session_id
    stored.seq = event.seq
    stored.turn_id = event.turn_id
    stored.agent_name = event.agent_name
    if event.player:
        stored.player = PLAYER_NUMBERS[event.player]
    stored.timestamp.CopyFrom(_to_timestamp(event.timestamp))
    if _to_seconds(stored.timestamp) != event.timestamp:
        stored.exact_time = event.timestamp
    return stored


def append_seq(blob: bytes, seq: int) -> bytes:
    """The bytes of an event with its `seq`, which is known only while it is written.

    Bytes of messages that are put one behind the other are the merged message.
    """
    return blob + v1.SessionEvent(seq=seq).SerializeToString()


def decode_event(blob: bytes) -> Event:
    """The event that was encoded."""
    return from_event_message(v1.SessionEvent.FromString(blob))


def from_event_message(message: v1.SessionEvent) -> Event:
    """The event that a message was made of; ValueError if it holds none."""
    exact = message.exact_time if message.HasField("exact_time") else _to_seconds(message.timestamp)
    return Event(
        event_id=message.event_id,
        session_id=message.session_id,
        seq=message.seq,
        timestamp=exact,
        payload=_decode_payload(message),
        turn_id=message.turn_id,
        agent_name=message.agent_name,
        player=PLAYERS_BY_NUMBER.get(message.player),
    )


def _encode_payload(payload: Payload) -> v1.SessionEvent:
    try:
        return _build_message(payload, _identity)
    except UnicodeEncodeError:
        # A string of a message cannot hold half a surrogate pair: the text is mended there, and exact beside it.
        stored = _build_message(payload, _sanitize_text)
        stored.texts_json = _to_json_text(dict(_iter_unencodable_texts(payload)))
        return stored


def _sanitize_text(value: Any) -> Any:
    return replace_lone_surrogates(value) if isinstance(value, str) else value


def _iter_unencodable_texts(payload: Payload) -> Iterator[tuple[str, str]]:
    for field in fields(payload):
        value = getattr(payload, field.name)
        if value != _sanitize_text(value):
            yield field.name, value


def _build_message(payload: Payload, convert_text: Callable[[Any], Any]) -> v1.SessionEvent:
    match payload:
        case TurnAsked():
            asked = to_asked_message(payload)
            convert_text(
                payload.client_id
            ).encode()  # who cannot travel is told beside the message, as every other text
            return v1.SessionEvent(turn_asked=asked, invocation_id=convert_text(payload.invocation_id))
        case TurnDecided():
            decided = v1.TurnDecided(response_json=_to_json_text(payload.response), duration_ms=payload.duration_ms)
            return v1.SessionEvent(
                turn_decided=decided, decision_id=convert_text(payload.decision_id), anyway=payload.anyway
            )
        case _:
            name = _MESSAGE_FIELDS[type(payload)]
            stored = v1.SessionEvent()
            fact = getattr(stored, name)
            fact.SetInParent()
            for field in _FIELD_CODECS[name]:
                value = getattr(payload, field.name)
                if value is not None or field.to_message is _to_json_text:
                    setattr(fact, field.message_field, convert_text(field.to_message(value)))
            return stored


def _decode_payload(message: v1.SessionEvent) -> Payload:
    texts: _PayloadFields = _from_json_text(message.texts_json) if message.texts_json else {}
    match message.WhichOneof("payload"):
        case "turn_asked":
            return TurnAsked(**_decode_asked(message) | texts)
        case "turn_decided":
            return TurnDecided(**_decode_decided(message) | texts)
        case str(name) if name in _PAYLOAD_CLASSES:
            return _PAYLOAD_CLASSES[name](**_decode_fields(getattr(message, name), _FIELD_CODECS[name]) | texts)
        case name:
            raise ValueError(f"event {message.event_id!r} has a payload that is never stored: {name}")


def _decode_asked(message: v1.SessionEvent) -> _PayloadFields:
    asked = message.turn_asked
    return {"invocation_id": message.invocation_id, **_decode_references(asked)}


def to_asked_message(asked: TurnAsked) -> v1.TurnAsked:
    """The references of a request."""
    return v1.TurnAsked(
        contents=[_join_ids(level) for level in asked.contents],
        tools=bytes.fromhex(asked.tools),
        instruction=bytes.fromhex(asked.instruction),
        config=bytes.fromhex(asked.config),
        client_id=_sanitize_text(asked.client_id),
    )


def from_asked_message(message: v1.TurnAsked, invocation_id: str) -> TurnAsked:
    """What a message of references asks."""
    return TurnAsked(invocation_id=invocation_id, **_decode_references(message))


def _decode_references(asked: v1.TurnAsked) -> _PayloadFields:
    return {
        "contents": _split_levels(asked.contents),
        "tools": asked.tools.hex(),
        "instruction": asked.instruction.hex(),
        "config": asked.config.hex(),
        "client_id": asked.client_id,
    }


def _decode_decided(message: v1.SessionEvent) -> _PayloadFields:
    decided = message.turn_decided
    return {
        "decision_id": message.decision_id,
        "response": _from_json_text(decided.response_json),
        "anyway": message.anyway,
        "duration_ms": decided.duration_ms if decided.HasField("duration_ms") else None,
    }


def _decode_fields(message: Any, codecs: list[_FieldCodec]) -> _PayloadFields:
    return {
        field.name: field.from_message(getattr(message, field.message_field))
        for field in codecs
        if field.name != "traceback" or message.HasField("traceback")
    }


def _join_ids(level: tuple[str, ...]) -> bytes:
    return bytes.fromhex("".join(level))


def _split_levels(levels: Any) -> PackedIds:
    return tuple(
        tuple(level[start : start + _ID_BYTES].hex() for start in range(0, len(level), _ID_BYTES)) for level in levels
    )


def _to_timestamp(seconds: float) -> Timestamp:
    whole = int(seconds // 1)
    nanos = round((seconds - whole) * 1_000_000_000)
    return Timestamp(seconds=whole + nanos // 1_000_000_000, nanos=nanos % 1_000_000_000)


def _to_seconds(timestamp: Timestamp) -> float:
    return timestamp.seconds + timestamp.nanos / 1_000_000_000

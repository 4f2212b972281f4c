"""Converts sessions and events to the `adksim.v1` messages that databases store, and back, without loss.

A request is stored as references to blocks, and a response as canonical JSON text. The v1beta messages that clients of
the first protocol get are built elsewhere.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import fields, replace
from typing import Any, NamedTuple, TypeAlias

from google.protobuf.message import DecodeError
from google.protobuf.timestamp_pb2 import Timestamp

from adk_agent_sim.errors import InvalidField
from adk_agent_sim.generated.adksim import v1
from adk_agent_sim.text.surrogates import replace_lone_surrogates
from adk_agent_sim.timeline.blocks import PackedIds
from adk_agent_sim.timeline.canonical_json import Json, decode_json, encode_json
from adk_agent_sim.timeline.event_validation import KIND_NAMES, PAYLOAD_CLASSES, validate_event
from adk_agent_sim.timeline.events import (
    AgentPath,
    Event,
    Payload,
    Player,
    RunOutcome,
    Session,
    TurnAsked,
    TurnDecided,
    Unreadable,
)
from adk_agent_sim.timeline.read_model.pending_requests import PendingRequest, RequestKind

REQUEST_TYPE = "request"
RESPONSE_TYPE = "response"

_ID_BYTES = 16

_PayloadFields: TypeAlias = dict[str, Any]

_PAYLOAD_TYPES = dict(KIND_NAMES) | {TurnAsked: REQUEST_TYPE, TurnDecided: RESPONSE_TYPE}

_OUTCOME_NUMBERS = {outcome: v1.RunEnded.Outcome.Value(f"OUTCOME_{outcome.name}") for outcome in RunOutcome}
_OUTCOMES_BY_NUMBER = {number: outcome for outcome, number in _OUTCOME_NUMBERS.items()}
PLAYER_NUMBERS: dict[Player, Any] = {player: v1.Player.Value(f"PLAYER_{player.name}") for player in Player}
PLAYERS_BY_NUMBER: dict[int, Player] = {number: player for player, number in PLAYER_NUMBERS.items()}
"""The players by their numbers in a message, without `PLAYER_UNSPECIFIED`."""


REQUEST_KIND_NUMBERS: dict[RequestKind, Any] = {
    kind: v1.RequestKind.Value(f"REQUEST_KIND_{kind.name}") for kind in RequestKind
}


class _FieldCodec(NamedTuple):
    """How one field of a payload is stored in its message."""

    name: str
    message_field: str
    to_message: Callable[[Any], Any]
    from_message: Callable[[Any], Any]


def _build_codecs(payload_class: type[Payload]) -> list[_FieldCodec]:
    message_fields = {field.name for field in getattr(v1, payload_class.__name__).DESCRIPTOR.fields}
    return [_build_field_codec(field.name, message_fields) for field in fields(payload_class)]


OPTIONAL_JSON_FIELDS = frozenset({"environment", "near_miss", "mocked"})
"""Fields that older releases do not write: an empty text is None."""


def _build_field_codec(name: str, message_fields: set[str]) -> _FieldCodec:
    if name in OPTIONAL_JSON_FIELDS:
        return _FieldCodec(name, f"{name}_json", _to_optional_json_text, _from_optional_json_text)
    if f"{name}_json" in message_fields:
        return _FieldCodec(name, f"{name}_json", _to_json_text, _from_json_text)
    if name == "outcome":
        return _FieldCodec(name, name, _OUTCOME_NUMBERS.__getitem__, _OUTCOMES_BY_NUMBER.__getitem__)
    return _FieldCodec(name, name, _identity, _identity)


def _to_json_text(value: Json) -> str:
    return encode_json(value).decode("ascii")


def _from_json_text(text: str) -> Json:
    return decode_json(text.encode("ascii"))


def _to_optional_json_text(value: Json) -> str:
    return "" if value is None else _to_json_text(value)


def _from_optional_json_text(text: str) -> Json:
    return _from_json_text(text) if text else None


def _identity(value: Any) -> Any:
    return value


# Some fields of TurnAsked and TurnDecided are fields of SessionEvent itself, so these two are converted by hand.
_FIELD_CODECS = {
    name: _build_codecs(payload_class)
    for name, payload_class in PAYLOAD_CLASSES.items()
    if payload_class not in (TurnAsked, TurnDecided)
}


def get_payload_type(payload: Payload) -> str:
    """Return the value of the column `payload_type`."""
    return _PAYLOAD_TYPES[type(payload)]


def to_milliseconds(seconds: float) -> int:
    """Return a timestamp as stored in columns that are searched and sorted."""
    return round(seconds * 1_000)


def encode_session(session: Session) -> bytes:
    """Return the serialized `SimulatorSession`."""
    return to_session_message(session).SerializeToString()


def to_session_message(session: Session) -> v1.SimulatorSession:
    """Build a `SimulatorSession`; a lone surrogate in the description becomes U+FFFD."""
    description = _sanitize_text(session.description)
    return v1.SimulatorSession(
        id=session.session_id, created_at=_to_timestamp(session.created_at), description=description
    )


def decode_session(blob: bytes) -> Session:
    """Parse a serialized `SimulatorSession`."""
    return from_session_message(v1.SimulatorSession.FromString(blob))


def from_session_message(message: v1.SimulatorSession) -> Session:
    """Convert a `SimulatorSession`."""
    return Session(session_id=message.id, created_at=_to_seconds(message.created_at), description=message.description)


def encode_event(event: Event) -> bytes:
    """Return the serialized `SessionEvent`."""
    return to_event_message(event).SerializeToString()


def to_event_message(event: Event) -> v1.SessionEvent:
    """Build a `SessionEvent`; `seq` stays unset for an event that has none yet."""
    message = _encode_payload(event.payload)
    message.event_id = event.event_id
    message.session_id = event.session_id
    message.seq = event.seq
    message.turn_id = event.turn_id
    message.agent_name = event.agent_name
    if event.player:
        message.player = PLAYER_NUMBERS[event.player]
    if event.agent_path:
        message.agent_path.CopyFrom(to_agent_path_message(event.agent_path))
    message.timestamp.CopyFrom(_to_timestamp(event.timestamp))
    if _to_seconds(message.timestamp) != event.timestamp:
        # A Timestamp counts nanoseconds and cannot represent every float.
        message.exact_time = event.timestamp
    return message


def decode_event(blob: bytes) -> Event:
    """Parse a serialized `SessionEvent`."""
    return from_event_message(v1.SessionEvent.FromString(blob))


def read_stored_event(session_id: str, seq: int, blob: bytes) -> Event:
    """Parse a stored event; one that cannot be read becomes an `Unreadable` event with the reason."""
    try:
        event = replace(decode_event(blob), seq=seq)
        validate_event(event)
        return event
    except (InvalidField, ValueError, KeyError, TypeError, AttributeError, RecursionError, DecodeError) as error:
        reason = str(error) if isinstance(error, InvalidField) else f"{type(error).__name__}: {error}"
        return Event(event_id="", session_id=session_id, seq=seq, timestamp=0.0, payload=Unreadable(reason=reason))


def from_event_message(message: v1.SessionEvent) -> Event:
    """Convert a `SessionEvent`; raise ValueError if its payload is not an event that is stored."""
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
        agent_path=from_agent_path_message(message.agent_path) if message.HasField("agent_path") else None,
    )


def to_pending_message(request: PendingRequest) -> v1.PendingRequest:
    """Build a `PendingRequest`."""
    message = v1.PendingRequest(
        kind=REQUEST_KIND_NUMBERS[request.kind],
        request_id=_sanitize_text(request.request_id),
        agent_name=_sanitize_text(request.agent_name),
        requested_at=request.requested_at,
        seq=request.seq,
        invocation_id=_sanitize_text(request.invocation_id),
        client_id=_sanitize_text(request.client_id),
        tool_name=_sanitize_text(request.tool_name),
        call_id=_sanitize_text(request.call_id),
        claimed_by=_sanitize_text(request.claimed_by),
        claimed_until=request.claimed_until,
    )
    if request.agent_path:
        message.agent_path.CopyFrom(to_agent_path_message(request.agent_path))
    return message


def to_agent_path_message(path: AgentPath) -> v1.AgentPath:
    """Build an `AgentPath`; a lone surrogate becomes U+FFFD."""
    return v1.AgentPath(branch=_sanitize_text(path.branch), parent_call_id=_sanitize_text(path.parent_call_id))


def from_agent_path_message(message: v1.AgentPath) -> AgentPath:
    """Convert an `AgentPath`."""
    return AgentPath(branch=message.branch, parent_call_id=message.parent_call_id)


def _encode_payload(payload: Payload) -> v1.SessionEvent:
    try:
        return _build_message(payload, _identity)
    except UnicodeEncodeError:
        # A protobuf string cannot contain a lone surrogate: the field gets U+FFFD, and texts_json the exact text.
        message = _build_message(payload, _sanitize_text)
        message.texts_json = _to_json_text(dict(_iter_unencodable_texts(payload)))
        return message


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
            # to_asked_message sanitizes the client id; encoding it here raises, so that its exact text is kept as well.
            convert_text(payload.client_id).encode()
            return v1.SessionEvent(turn_asked=asked, invocation_id=convert_text(payload.invocation_id))
        case TurnDecided():
            decided = v1.TurnDecided(response_json=_to_json_text(payload.response), duration_ms=payload.duration_ms)
            return v1.SessionEvent(
                turn_decided=decided,
                decision_id=convert_text(payload.decision_id),
                force=payload.force,
                decided_by=convert_text(payload.decided_by),
            )
        case _:
            name = KIND_NAMES[type(payload)]
            message = v1.SessionEvent()
            submessage = getattr(message, name)
            # Selects the payload even if all of its fields have their default values.
            submessage.SetInParent()
            for field in _FIELD_CODECS[name]:
                value = getattr(payload, field.name)
                # In a JSON field None is a value, written as null; other fields stay unset, as protobuf has no None.
                if value is not None or field.to_message is _to_json_text:
                    setattr(submessage, field.message_field, convert_text(field.to_message(value)))
            return message


def _decode_payload(message: v1.SessionEvent) -> Payload:
    texts: _PayloadFields = _from_json_text(message.texts_json) if message.texts_json else {}
    match message.WhichOneof("payload"):
        case "turn_asked":
            return TurnAsked(**_decode_asked(message) | texts)
        case "turn_decided":
            return TurnDecided(**_decode_decided(message) | texts)
        case str(name) if name in PAYLOAD_CLASSES:
            return PAYLOAD_CLASSES[name](**_decode_fields(getattr(message, name), _FIELD_CODECS[name]) | texts)
        case name:
            raise ValueError(f"event {message.event_id!r} has a payload that cannot be stored: {name}")


def _decode_asked(message: v1.SessionEvent) -> _PayloadFields:
    asked = message.turn_asked
    return {"invocation_id": message.invocation_id, **_decode_references(asked)}


def to_asked_message(asked: TurnAsked) -> v1.TurnAsked:
    """Build the message of a request's block references."""
    return v1.TurnAsked(
        contents=[_join_ids(level) for level in asked.contents],
        tools=bytes.fromhex(asked.tools),
        instruction=bytes.fromhex(asked.instruction),
        config=bytes.fromhex(asked.config),
        client_id=_sanitize_text(asked.client_id),
    )


def from_asked_message(message: v1.TurnAsked, invocation_id: str) -> TurnAsked:
    """Convert the message of a request's block references."""
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
        "force": message.force,
        "duration_ms": decided.duration_ms if decided.HasField("duration_ms") else None,
        "decided_by": message.decided_by,
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
    # Rounded down, because nanos must not be negative; and rounding the rest may yield a whole second.
    whole = int(seconds // 1)
    nanos = round((seconds - whole) * 1_000_000_000)
    return Timestamp(seconds=whole + nanos // 1_000_000_000, nanos=nanos % 1_000_000_000)


def _to_seconds(timestamp: Timestamp) -> float:
    return timestamp.seconds + timestamp.nanos / 1_000_000_000

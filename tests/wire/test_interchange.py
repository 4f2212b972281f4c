"""Our messages against Google's own classes: the same numbers, the same types, the same bytes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, cast

import pytest
from genai_strategies import models
from google.adk.models.llm_request import LlmRequest
from google.ai import generativelanguage_v1beta as google
from google.genai import types
from google.protobuf.descriptor import Descriptor, EnumDescriptor
from google.protobuf.message import Message
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from adk_agent_sim.forms.json_schema import to_json_schema
from adk_agent_sim.generated.adksim import v1
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.wire.llm_messages import move_response_schema, to_request_message
from adk_agent_sim.wire.message_codec import fill_message

_ROOTS: list[type[Message]] = [v1.GenerateContentRequest, v1.GenerateContentResponse]
_PAIRS: list[tuple[type[Message], type[BaseModel]]] = [
    (v1.Content, types.Content),
    (v1.Tool, types.Tool),
    (v1.ToolConfig, types.ToolConfig),
    (v1.GenerationConfig, types.GenerationConfig),
    (v1.GenerateContentResponse, types.GenerateContentResponse),
]


def _theirs(ours: type[Message]) -> type[Message]:
    """Return Google's protobuf class behind the wrapper of its library."""
    return getattr(google, ours.__name__).pb()


def _reachable(ours: Descriptor, theirs: Descriptor, seen: set[str]) -> Iterator[tuple[Descriptor, Descriptor]]:
    if ours.full_name in seen or ours.file.package == "google.protobuf":
        return
    seen.add(ours.full_name)
    yield ours, theirs
    for field in ours.fields:
        if field.message_type is not None:
            other = theirs.fields_by_number[field.number].message_type
            assert other is not None
            yield from _reachable(field.message_type, other, seen)


def _messages() -> list[tuple[Descriptor, Descriptor]]:
    seen = set[str]()
    roots = [(_descriptor(ours), _descriptor(_theirs(ours))) for ours in _ROOTS]
    return [pair for ours, theirs in roots for pair in _reachable(ours, theirs, seen)]


def _descriptor(message: type[Message]) -> Descriptor:
    return cast("Descriptor", message.DESCRIPTOR)


def _enum(enum: EnumDescriptor | None) -> dict[int, str] | None:
    return {value.number: value.name for value in enum.values} if enum else None


def _fields(message: Descriptor, numbers: set[int]) -> dict[int, object]:
    """Return what determines a field's bytes, and its name; Google's library appends `_` to Python keywords."""
    return {
        field.number: (
            field.name.rstrip("_"),
            field.type,
            field.default_value,
            field.has_presence,
            _enum(field.enum_type),
            field.containing_oneof.name.rstrip("_") if field.containing_oneof else None,
        )
        for field in message.fields
        if field.number in numbers
    }


@pytest.mark.req("003/proto-6", "003/proto-7")
@pytest.mark.parametrize("pair", _messages(), ids=lambda pair: pair[0].name)
def test_a_message_has_the_numbers_names_and_types_of_googles(pair: tuple[Descriptor, Descriptor]) -> None:
    ours, theirs = pair
    numbers = {field.number for field in ours.fields}

    assert _fields(ours, numbers) == _fields(theirs, numbers)


def test_all_messages_of_a_request_and_a_response_are_compared() -> None:
    assert len(_messages()) > 60


def _by_number(message: Message) -> dict[int, object]:
    """Return the values of a message independent of its class, without unknown fields."""
    return {field.number: _convert_value(value) for field, value in message.ListFields()}


def _convert_value(value: Any) -> object:
    if isinstance(value, Message):
        return _by_number(value)
    if hasattr(value, "items"):
        return {key: _convert_value(value[key]) for key in value}
    if hasattr(value, "append"):
        return [_convert_value(one) for one in value]
    return value


@pytest.mark.req("003/proto-6", "003/proto-7")
@pytest.mark.parametrize(("ours", "kind"), _PAIRS, ids=lambda one: one.__name__)
@given(data=st.data())
def test_bytes_interchange_with_googles_classes_in_both_directions(
    ours: type[Message], kind: type[BaseModel], data: st.DataObject
) -> None:
    message = ours()
    fill_message(message, to_json_value(data.draw(models(kind))))

    assert _interchanges(message)


@pytest.mark.req("003/proto-6")
@given(models(LlmRequest))
def test_the_bytes_of_any_request_interchange_with_googles_class(request: LlmRequest) -> None:
    stated = cast("Any", request.config).response_schema
    value = to_json_value(request)
    if stated is not None:
        value["config"]["response_schema"] = to_json_schema(stated)

    assert _interchanges(to_request_message(move_response_schema(value)))


def _interchanges(message: Message) -> bool:
    theirs = _theirs(type(message)).FromString(message.SerializeToString())
    back = type(message).FromString(theirs.SerializeToString())
    return _by_number(theirs) == _by_number(message) and back == message


def test_a_field_that_only_google_knows_survives() -> None:
    theirs = google.Candidate(grounding_attributions=[google.GroundingAttribution()], token_count=3)

    ours = v1.Candidate.FromString(cast("Any", google.Candidate).serialize(theirs))

    assert ours.token_count == 3
    assert google.Candidate.deserialize(ours.SerializeToString()) == theirs

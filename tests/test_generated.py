"""The generated classes: fixed field numbers, the fields that timelines need, and agreement with the protos."""

from __future__ import annotations

import dataclasses
import filecmp
import os
import subprocess
import sys
from pathlib import Path
from typing import get_args

import pytest
from google.protobuf.message import Message
from proto_generator import HAS_GENERATOR, create_environment

from adk_agent_sim.generated.adksim import v1
from adk_agent_sim.generated.adksim.v1 import simulator_service_pb2
from adk_agent_sim.timeline.events import Payload, TurnAsked, TurnDecided, Unreadable

ROOT = Path(__file__).parent.parent
GENERATED = ROOT / "src" / "adk_agent_sim" / "generated"

_LOAD = """
from adk_agent_sim.generated.adksim.v1 import SessionEvent, simulator_service_pb2_grpc
event = SessionEvent(event_id="e", llm_request={"contents": [{"parts": [{"text": "hi"}]}]})
assert SessionEvent.FromString(event.SerializeToString()) == event
"""

_CONVERT = """
from adk_agent_sim.wire.llm_messages import from_request_message, to_request_message
part = {"function_call": {"args": {"a": [1, None, {}]}, "name": "f"}}
schema = {"properties": {"a": {"type": "STRING"}}}
tool = {"function_declarations": [{"name": "f", "parameters": schema}]}
request = {"contents": [{"parts": [part]}], "config": {"temperature": 0.7, "stop_sequences": ["."], "tools": [tool]}}
assert from_request_message(to_request_message(request)) == request
"""

_FIXED: dict[type[Message], dict[str, int]] = {
    v1.CreateSessionRequest: {"description": 1},
    v1.CreateSessionResponse: {"session": 1},
    v1.SubscribeRequest: {"session_id": 1, "client_id": 2},
    v1.SubscribeResponse: {"event": 1},
    v1.SubmitRequestRequest: {"session_id": 1, "turn_id": 2, "agent_name": 3, "request": 4},
    v1.SubmitRequestResponse: {"event_id": 1},
    v1.SubmitDecisionRequest: {"session_id": 1, "turn_id": 2, "response": 3},
    v1.SubmitDecisionResponse: {"event_id": 1},
    v1.ListSessionsRequest: {"page_size": 1, "page_token": 2},
    v1.ListSessionsResponse: {"sessions": 1, "next_page_token": 2},
    v1.SimulatorSession: {"id": 1, "created_at": 2, "description": 3},
    v1.SessionEvent: {
        "event_id": 1,
        "session_id": 2,
        "timestamp": 3,
        "turn_id": 4,
        "agent_name": 5,
        "llm_request": 10,
        "llm_response": 11,
        "history_complete": 12,
    },
    v1.HistoryComplete: {"event_count": 1},
}


def _numbers(message: type[Message]) -> dict[str, int]:
    return {field.name: field.number for field in message.DESCRIPTOR.fields}


@pytest.mark.req("003/proto-2", "003/proto-4")
@pytest.mark.parametrize("message", _FIXED, ids=lambda message: message.__name__)
def test_numbers_below_20_are_those_that_the_first_protocol_fixed(message: type[Message]) -> None:
    fixed = {name: number for name, number in _numbers(message).items() if number < 20}

    assert fixed == _FIXED[message]


def test_the_service_has_the_fixed_methods_and_six_more() -> None:
    service = simulator_service_pb2.DESCRIPTOR.services_by_name["SimulatorService"]

    assert service.full_name == "adksim.v1.SimulatorService"
    assert [method.name for method in service.methods] == [
        "CreateSession",
        "Subscribe",
        "SubmitRequest",
        "SubmitDecision",
        "ListSessions",
        "GetSession",
        "CloseSession",
        "AppendEvents",
        "ReadBlocks",
        "OfferRestarts",
        "SubmitToolResponse",
    ]
    assert [method.name for method in service.methods if method.server_streaming] == ["Subscribe", "OfferRestarts"]


@pytest.mark.req("003/proto-3")
def test_a_session_does_not_carry_its_status() -> None:
    assert set(_numbers(v1.SimulatorSession)) == {"id", "created_at", "description"}
    assert {name: number for name, number in v1.SessionStatus.items() if number < 20} == {
        "SESSION_STATUS_UNSPECIFIED": 0,
        "SESSION_STATUS_ACTIVE": 1,
        "SESSION_STATUS_COMPLETED": 2,
        "SESSION_STATUS_CANCELLED": 3,
    }


@pytest.mark.req("003/proto-5")
def test_setting_a_payload_takes_back_the_one_before() -> None:
    event = v1.SessionEvent(llm_request=v1.GenerateContentRequest(model="m"))
    event.llm_response.SetInParent()

    assert event.WhichOneof("payload") == "llm_response"
    assert not event.HasField("llm_request")


_FACTS = [kind for kind in get_args(Payload) if kind not in (TurnAsked, TurnDecided, Unreadable)]
"""The payloads that are not sent as llm_request or llm_response."""


@pytest.mark.req("003/proto-1", "003/proto-5")
@pytest.mark.parametrize("kind", _FACTS, ids=lambda kind: kind.__name__)
def test_every_kind_of_fact_has_a_payload_with_all_its_fields(kind: type) -> None:
    payloads = [field.message_type for field in v1.SessionEvent.DESCRIPTOR.oneofs_by_name["payload"].fields]
    (payload,) = [message for message in payloads if message and message.name == kind.__name__]

    carried = {field.name.removesuffix("_json") for field in payload.fields}

    assert {field.name for field in dataclasses.fields(kind)} <= carried


def test_an_event_carries_what_a_turn_has_beyond_request_and_response() -> None:
    assert {"invocation_id", "decision_id", "force", "player", "seq"} <= set(_numbers(v1.SessionEvent))


@pytest.mark.req("003/proto-6")
def test_a_request_has_the_fields_that_the_spec_names() -> None:
    named = {"model", "contents", "system_instruction", "tools", "tool_config", "safety_settings", "generation_config"}

    assert named <= set(_numbers(v1.GenerateContentRequest))


@pytest.mark.req("003/proto-7")
def test_a_response_has_the_fields_that_the_spec_names() -> None:
    assert {"candidates", "prompt_feedback", "usage_metadata"} <= set(_numbers(v1.GenerateContentResponse))


@pytest.mark.req("003/proto-8")
def test_a_part_is_one_of_the_kinds_that_the_spec_names() -> None:
    kinds = {field.name for field in v1.Part.DESCRIPTOR.oneofs_by_name["data"].fields}

    assert set(_numbers(v1.Content)) == {"role", "parts"}
    assert kinds >= {
        "text",
        "inline_data",
        "function_call",
        "function_response",
        "executable_code",
        "code_execution_result",
    }


@pytest.mark.process
@pytest.mark.req("003/proto-9")
def test_the_generated_code_loads_without_a_warning() -> None:
    subprocess.run([sys.executable, "-W", "error", "-c", _LOAD], check=True)


@pytest.mark.process
@pytest.mark.long
@pytest.mark.parametrize("release", ["5.29.*", "6.*", "7.*"])
def test_messages_load_and_convert_under_every_protobuf_that_adk_may_bring(release: str, tmp_path: Path) -> None:
    python = create_environment(tmp_path / "venv", f"protobuf=={release}", "grpcio", "pydantic")

    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    subprocess.run([python, "-W", "error", "-c", _LOAD + _CONVERT], check=True, env=environment)


@pytest.mark.process
@HAS_GENERATOR
def test_the_committed_code_is_what_the_generator_makes_of_the_protos(tmp_path: Path) -> None:
    python = create_environment(tmp_path / "venv", "--requirement", str(ROOT / "protos" / "requirements.txt"))

    subprocess.run([python, ROOT / "protos" / "generate.py", tmp_path / "generated"], check=True)

    made = _files(tmp_path / "generated")
    assert made == _files(GENERATED)
    _, changed, unreadable = filecmp.cmpfiles(GENERATED, tmp_path / "generated", made, shallow=False)
    assert not changed + unreadable, "the generated code is out of date: run `make protos`"


def _files(folder: Path) -> set[str]:
    return {path.relative_to(folder).as_posix() for path in folder.rglob("*.py*") if path.suffix in (".py", ".pyi")}

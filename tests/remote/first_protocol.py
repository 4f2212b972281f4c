"""A client that knows only the first protocol and Google's v1beta classes, in a process of its own.

    python first_protocol.py agent URL TURNS     asks turn after turn, and prints the answers
    python first_protocol.py person URL          answers whatever is asked in the newest session, until it is killed

It is written as somebody would who has never seen this package: its messages are declared here, by number.
"""

from __future__ import annotations

import sys
import time
from typing import Any, cast
from uuid import uuid4

import grpc
from google.ai import generativelanguage_v1beta
from google.protobuf import descriptor_pb2, descriptor_pool, message_factory, timestamp_pb2

google_classes = cast("Any", generativelanguage_v1beta)
Field = descriptor_pb2.FieldDescriptorProto
_V1BETA = "google.ai.generativelanguage.v1beta"
_MESSAGES: dict[str, list[tuple[str, int, str]]] = {
    "SimulatorSession": [("id", 1, ""), ("created_at", 2, "google.protobuf.Timestamp"), ("description", 3, "")],
    "HistoryComplete": [("event_count", 1, "int32")],
    "SessionEvent": [
        ("event_id", 1, ""),
        ("session_id", 2, ""),
        ("timestamp", 3, "google.protobuf.Timestamp"),
        ("turn_id", 4, ""),
        ("agent_name", 5, ""),
        ("llm_request", 10, f"{_V1BETA}.GenerateContentRequest"),
        ("llm_response", 11, f"{_V1BETA}.GenerateContentResponse"),
        ("history_complete", 12, "adksim.v1.HistoryComplete"),
    ],
    "CreateSessionRequest": [("description", 1, "")],
    "CreateSessionResponse": [("session", 1, "adksim.v1.SimulatorSession")],
    "SubscribeRequest": [("session_id", 1, ""), ("client_id", 2, "")],
    "SubscribeResponse": [("event", 1, "adksim.v1.SessionEvent")],
    "SubmitRequestRequest": [
        ("session_id", 1, ""),
        ("turn_id", 2, ""),
        ("agent_name", 3, ""),
        ("request", 4, f"{_V1BETA}.GenerateContentRequest"),
    ],
    "SubmitRequestResponse": [("event_id", 1, "")],
    "SubmitDecisionRequest": [
        ("session_id", 1, ""),
        ("turn_id", 2, ""),
        ("response", 3, f"{_V1BETA}.GenerateContentResponse"),
    ],
    "SubmitDecisionResponse": [("event_id", 1, "")],
    "ListSessionsRequest": [("page_size", 1, "int32"), ("page_token", 2, "")],
    "ListSessionsResponse": [("sessions", 1, "[]adksim.v1.SimulatorSession"), ("next_page_token", 2, "")],
}
_ONEOF = {"llm_request", "llm_response", "history_complete"}


def _classes() -> dict[str, Any]:
    google_file = google_classes.GenerateContentRequest.pb().DESCRIPTOR.file.name
    file = descriptor_pb2.FileDescriptorProto(
        name="first.proto",
        package="adksim.v1",
        syntax="proto3",
        dependency=[google_file, timestamp_pb2.DESCRIPTOR.name],
    )
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        if name == "SessionEvent":
            message.oneof_decl.add(name="payload")
        for field_name, number, kind in fields:
            field = message.field.add(name=field_name, number=number, label=Field.LABEL_OPTIONAL)
            if kind.startswith("[]"):
                field.label = Field.LABEL_REPEATED
            stated = kind.removeprefix("[]")
            if "." in stated:
                field.type, field.type_name = Field.TYPE_MESSAGE, f".{stated}"
            else:
                field.type = Field.TYPE_INT32 if stated else Field.TYPE_STRING
            if field_name in _ONEOF:
                field.oneof_index = 0
    pool = descriptor_pool.Default()
    pool.Add(file) if hasattr(pool, "Add") else pool.AddSerializedFile(file.SerializeToString())
    return {
        name: message_factory.GetMessageClass(pool.FindMessageTypeByName(f"adksim.v1.{name}")) for name in _MESSAGES
    }


CLASSES = _classes()


def _bytes(message: Any) -> bytes:
    return message.SerializeToString()


class Client:
    """The five calls; each is made again while the server is away, as a client of the first protocol would."""

    def __init__(self, url: str) -> None:
        self._channel = cast("Any", grpc).insecure_channel(url)

    def call(self, name: str, **fields: Any) -> Any:
        made = self._channel.unary_unary(
            f"/adksim.v1.SimulatorService/{name}",
            request_serializer=_bytes,
            response_deserializer=CLASSES[f"{name}Response"].FromString,
        )
        while True:
            try:
                return made(CLASSES[f"{name}Request"](**fields), wait_for_ready=True)
            except grpc.RpcError as error:
                if cast("Any", error).code() is not grpc.StatusCode.UNAVAILABLE:
                    raise

    def events(self, session_id: str) -> Any:
        """All events, over and over from the beginning when the server has been away; each once."""
        made = self._channel.unary_stream(
            "/adksim.v1.SimulatorService/Subscribe",
            request_serializer=_bytes,
            response_deserializer=CLASSES["SubscribeResponse"].FromString,
        )
        seen: set[str] = set()
        while True:
            request = CLASSES["SubscribeRequest"](session_id=session_id, client_id="first")
            try:
                for answer in made(request, wait_for_ready=True):
                    if answer.event.event_id and answer.event.event_id not in seen:
                        seen.add(answer.event.event_id)
                        yield answer.event
                return
            except grpc.RpcError as error:
                if cast("Any", error).code() is not grpc.StatusCode.UNAVAILABLE:
                    raise


def _agent(url: str, turns: int) -> None:
    client = Client(url)
    session = client.call("CreateSession", description="first protocol").session
    print(session.id, flush=True)
    events = client.events(session.id)
    for number in range(turns):
        content = google_classes.Content(role="user", parts=[google_classes.Part(text=f"question {number}")])
        request = google_classes.GenerateContentRequest(model="models/m", contents=[content])
        turn_id = str(uuid4())
        pb = google_classes.GenerateContentRequest.pb(request)
        fields = {"session_id": session.id, "turn_id": turn_id, "agent_name": "first", "request": pb}
        client.call("SubmitRequest", **fields)
        decided = next(
            event for event in events if event.turn_id == turn_id and event.WhichOneof("payload") == "llm_response"
        )
        assert isinstance(decided.llm_response, google_classes.GenerateContentResponse.pb())
        print(decided.llm_response.candidates[0].content.parts[0].text, flush=True)


def _person(url: str) -> None:
    client = Client(url)
    while not (sessions := client.call("ListSessions", page_size=1).sessions):
        time.sleep(0.01)
    for event in client.events(sessions[0].id):
        if event.WhichOneof("payload") != "llm_request":
            continue
        asked = event.llm_request.contents[-1].parts[0]
        assert isinstance(event.llm_request, google_classes.GenerateContentRequest.pb())
        if asked.function_response.name:
            part = google_classes.Part(text=f"the tool said {asked.function_response.response['result']:g}")
        else:
            call = google_classes.FunctionCall(name="add", args={"a": 2, "b": 2})
            part = google_classes.Part(function_call=call)
        content = google_classes.Content(role="model", parts=[part])
        response = google_classes.GenerateContentResponse(candidates=[google_classes.Candidate(content=content)])
        client.call(
            "SubmitDecision",
            session_id=event.session_id,
            turn_id=event.turn_id,
            response=google_classes.GenerateContentResponse.pb(response),
        )


if __name__ == "__main__":
    assert "adk_agent_sim" not in sys.modules
    if sys.argv[1] == "agent":
        _agent(sys.argv[2], int(sys.argv[3]))
    else:
        _person(sys.argv[2])

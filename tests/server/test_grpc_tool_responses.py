"""A client of the gRPC service plays a tool: it finds the call that waits, and responds."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import grpc
import pytest
from grpc import StatusCode
from grpc_client import serve_timeline

from adk_agent_sim.generated.adksim import v1
from adk_agent_sim.timeline.events import ToolAnswered, ToolAsked
from adk_agent_sim.timeline.submissions import ToolRequest
from adk_agent_sim.timeline.timeline import Timeline

_ASKED = ToolAsked(
    request_id="r-1", call_id="c-1", tool_name="add", arguments={"a": 2}, response_schema={"type": "integer"}
)


async def _ask(timeline: Timeline) -> str:
    session_id = (await timeline.create_session("remote")).session_id
    await timeline.tool_requests.ask(ToolRequest(session_id, _ASKED, agent_name="sums"))
    return session_id


async def _refuse(client: Any, request: v1.SubmitToolResponseRequest) -> tuple[StatusCode, str]:
    with pytest.raises(grpc.aio.AioRpcError) as refused:
        await client.SubmitToolResponse(request)
    return refused.value.code(), refused.value.details() or ""


async def test_a_client_finds_the_call_in_the_session_and_responds_once() -> None:
    timeline = Timeline()
    async with serve_timeline(timeline) as client:
        session_id = await _ask(timeline)
        (pending,) = (await client.GetSession(v1.GetSessionRequest(session_id=session_id))).pending
        assert pending.tool_name == "add"
        response = v1.SubmitToolResponseRequest(
            session_id=session_id,
            request_id=pending.request_id,
            result_json="4",
            decision_id=str(uuid4()),
            answered_by="Ada",
        )

        submitted = await client.SubmitToolResponse(response)

        assert await client.SubmitToolResponse(response) == submitted
        (answered,) = [event for event in await timeline.read_events(session_id) if event.seq == submitted.seq]
        assert isinstance(answered.payload, ToolAnswered)
        assert (answered.event_id, answered.payload.result) == (submitted.event_id, 4)
        assert answered.payload.answered_by == "Ada"
        response.decision_id = str(uuid4())
        code, details = await _refuse(client, response)
        assert code is StatusCode.ALREADY_EXISTS, details


async def test_a_client_raises_as_the_tool() -> None:
    timeline = Timeline()
    async with serve_timeline(timeline) as client:
        session_id = await _ask(timeline)
        await client.SubmitToolResponse(
            v1.SubmitToolResponseRequest(
                session_id=session_id, request_id="r-1", error_type="TimeoutError", error_message="no answer"
            )
        )

    payload = (await timeline.read_events(session_id))[-1].payload
    assert isinstance(payload, ToolAnswered)
    assert (payload.error_type, payload.error_message, payload.result) == ("TimeoutError", "no answer", None)


@pytest.mark.parametrize(
    ("fields", "code", "problem"),
    [
        ({"result_json": '"four"'}, StatusCode.INVALID_ARGUMENT, "integer"),
        ({"result_json": "{4"}, StatusCode.INVALID_ARGUMENT, "result_json must be JSON text"),
        ({}, StatusCode.INVALID_ARGUMENT, "result_json is missing: send it, or error_type"),
        ({"result_json": "4", "error_type": "KeyError"}, StatusCode.INVALID_ARGUMENT, "a tool returns or raises"),
        ({"error_type": "not a name"}, StatusCode.INVALID_ARGUMENT, "error_type"),
        ({"request_id": "other", "result_json": "4"}, StatusCode.NOT_FOUND, "other"),
        ({"request_id": "", "result_json": "4"}, StatusCode.INVALID_ARGUMENT, "request_id"),
        ({"session_id": "nowhere", "result_json": "4"}, StatusCode.NOT_FOUND, "nowhere"),
    ],
)
async def test_a_response_that_cannot_be_given_is_refused(
    fields: dict[str, str], code: StatusCode, problem: str
) -> None:
    timeline = Timeline()
    async with serve_timeline(timeline) as client:
        session_id = await _ask(timeline)
        values: dict[str, Any] = {"session_id": session_id, "request_id": "r-1", **fields}

        refused = await _refuse(client, v1.SubmitToolResponseRequest(**values))

        assert refused[0] is code, refused
        assert problem in refused[1]
        assert timeline.tool_requests.peek_pending(session_id) == ["r-1"]

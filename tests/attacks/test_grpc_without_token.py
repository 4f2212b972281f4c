"""Another user of the machine, who has no token, uses gRPC: every call is rejected, and says what to do."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, cast
from uuid import uuid4

import grpc
import httpx
import pytest
from api_client import NO_TLS
from grpc_client import build_stub
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha import reflection_pb2, reflection_pb2_grpc

from adk_agent_sim.errors import TokenRejected
from adk_agent_sim.generated.adksim import v1
from adk_agent_sim.generated.adksim.v1 import simulator_service_pb2
from adk_agent_sim.link.channel import Credentials
from adk_agent_sim.link.remote_link import RemoteLink
from adk_agent_sim.server.access.exposure import Exposure
from adk_agent_sim.server.composition import RunningServices, ServeSettings, run_services

_CALLS = {
    "CreateSession": v1.CreateSessionRequest(),
    "ListSessions": v1.ListSessionsRequest(),
    "GetSession": v1.GetSessionRequest(),
    "CloseSession": v1.CloseSessionRequest(),
    "SubmitRequest": v1.SubmitRequestRequest(),
    "SubmitDecision": v1.SubmitDecisionRequest(),
    "SubmitToolResponse": v1.SubmitToolResponseRequest(),
    "AppendEvents": v1.AppendEventsRequest(),
    "ReadBlocks": v1.ReadBlocksRequest(),
}

_BAD_METADATA = [
    (),
    (("authorization", ""),),
    (("authorization", "Bearer"),),
    (("authorization", "Bearer wrong"),),
    (("authorization", "Bearer adksim_wrong"),),
    (("authorization", "Basic adksim_wrong"),),
    (("authorization", "Bearer x"), ("authorization", "Bearer y")),
]


@pytest.fixture
async def served(tmp_path: Path) -> AsyncIterator[RunningServices]:
    async with run_services(ServeSettings(database=tmp_path / "s.db", grpc_port=0, port=0)) as running:
        yield running


@pytest.fixture
async def channel(served: RunningServices) -> AsyncIterator[grpc.aio.Channel]:
    async with grpc.aio.insecure_channel(served.grpc.address) as opened:
        yield opened


def test_every_method_is_attacked() -> None:
    service = simulator_service_pb2.DESCRIPTOR.services_by_name["SimulatorService"]

    assert {method.name for method in service.methods} == {*_CALLS, "Subscribe", "OfferRestarts"}


@pytest.mark.parametrize("metadata", _BAD_METADATA)
async def test_every_call_is_rejected_with_what_to_do(
    channel: grpc.aio.Channel, metadata: tuple[tuple[str, str], ...]
) -> None:
    stub = build_stub(channel)
    for method, request in _CALLS.items():
        with pytest.raises(grpc.aio.AioRpcError) as rejected:
            await getattr(stub, method)(request, metadata=metadata)
        assert rejected.value.code() is grpc.StatusCode.UNAUTHENTICATED
        assert "ADK_SIM_TOKEN" in (rejected.value.details() or "")
        assert "adksim token new" in (rejected.value.details() or "")


async def test_conversations_cannot_be_followed(served: RunningServices, channel: grpc.aio.Channel) -> None:
    session = await served.timeline.create_session("private")
    with pytest.raises(grpc.aio.AioRpcError) as rejected:
        await build_stub(channel).Subscribe(v1.SubscribeRequest(session_id=session.session_id)).read()

    assert rejected.value.code() is grpc.StatusCode.UNAUTHENTICATED


async def test_sessions_cannot_be_taken_over(channel: grpc.aio.Channel) -> None:
    with pytest.raises(grpc.aio.AioRpcError) as rejected:
        # Nothing is sent, as below.
        await build_stub(channel).OfferRestarts().read()

    assert rejected.value.code() is grpc.StatusCode.UNAUTHENTICATED


async def test_the_methods_cannot_be_listed_by_reflection(served: RunningServices, channel: grpc.aio.Channel) -> None:
    stub = cast("Any", reflection_pb2_grpc).ServerReflectionStub(channel)
    request = reflection_pb2.ServerReflectionRequest(list_services="")
    with pytest.raises(grpc.aio.AioRpcError) as rejected:
        # Nothing is sent: the server rejects the stream before, and a client that sends then reports its own error.
        await stub.ServerReflectionInfo().read()
    assert rejected.value.code() is grpc.StatusCode.UNAUTHENTICATED

    metadata = (("authorization", f"Bearer {served.token}"),)
    async for answer in stub.ServerReflectionInfo(iter([request]), metadata=metadata):
        assert answer.list_services_response.service
        break


async def test_whether_the_server_runs_can_be_seen_by_everyone(channel: grpc.aio.Channel) -> None:
    answer = await cast("Any", health_pb2_grpc).HealthStub(channel).Check(health_pb2.HealthCheckRequest())

    assert answer.status == health_pb2.HealthCheckResponse.SERVING


async def test_the_same_user_needs_no_configuration(served: RunningServices) -> None:
    async with RemoteLink(f"localhost:{served.grpc.port}") as link:
        await link.create_session("mine")

    assert served.token


async def test_a_wrong_token_is_not_replaced_by_the_right_one(served: RunningServices) -> None:
    async with RemoteLink(served.grpc.address, credentials=Credentials(token=f"adksim_{uuid4()}")) as link:
        with pytest.raises(TokenRejected, match="wrong, expired or revoked"):
            await link.list_sessions()


async def test_it_can_be_allowed_on_this_machine_but_not_for_browsers(tmp_path: Path) -> None:
    exposure = Exposure(allow_unauthenticated=True)
    settings = ServeSettings(database=tmp_path / "s.db", grpc_port=0, port=0, exposure=exposure)
    async with run_services(settings) as served, grpc.aio.insecure_channel(served.grpc.address) as channel:
        assert served.web
        await build_stub(channel).CreateSession(v1.CreateSessionRequest())
        async with httpx.AsyncClient(verify=NO_TLS) as browser:
            assert (await browser.get(f"{served.web.base_url}/api/sessions")).status_code == 401

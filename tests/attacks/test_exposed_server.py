"""A server that other machines can reach: refused without encryption, and used over TLS with an own authority."""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
import subprocess
from collections.abc import AsyncIterator
from pathlib import Path

import grpc
import httpx
import pytest
from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.runners import InMemoryRunner
from google.genai import types
from grpc_client import build_stub
from processes import invoke_adksim
from scripted_model import text_response
from scripted_person import decide_in_order, run_person

from adk_agent_sim import AgentSimulator, SimulatedAgentConfig, SimulatorPlugin
from adk_agent_sim.errors import ExposureRefused, InsecureFile, ServerUnreachable
from adk_agent_sim.generated.adksim import v1
from adk_agent_sim.link.channel import Credentials
from adk_agent_sim.link.remote_link import RemoteLink
from adk_agent_sim.server.access.exposure import Exposure, TlsFiles
from adk_agent_sim.server.composition import RunningServices, ServeSettings, run_services

_ALL_INTERFACES = ["0.0.0.0", "::", "", "192.0.2.1", "build-box"]  # noqa: S104 - refused, not bound


def create_certificate(folder: Path) -> TlsFiles:
    """Create an authority, and a certificate of it for localhost; the authority's is ca.pem."""

    def openssl(*arguments: str) -> None:
        subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)

    curve = ("-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-noenc")
    ca_use = "basicConstraints=critical,CA:TRUE"
    openssl("req", "-x509", *curve, "-keyout", "ca.key", "-out", "ca.pem", "-subj", "/CN=test CA", "-addext", ca_use)
    openssl("req", *curve, "-keyout", "key.pem", "-out", "request.pem", "-subj", "/CN=localhost")
    (folder / "names").write_text("subjectAltName=DNS:localhost,IP:127.0.0.1")
    signing = ("-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial", "-extfile", "names")
    openssl("x509", "-req", "-in", "request.pem", "-out", "cert.pem", *signing)
    (folder / "key.pem").chmod(0o600)
    return TlsFiles(certificate=folder / "cert.pem", key=folder / "key.pem")


@pytest.fixture
def tls(tmp_path: Path) -> TlsFiles:
    return create_certificate(tmp_path)


@pytest.fixture
async def served(tmp_path: Path, tls: TlsFiles) -> AsyncIterator[RunningServices]:
    exposure = Exposure(host="0.0.0.0", tls=tls)  # noqa: S104 - it has a certificate
    settings = ServeSettings(database=tmp_path / "s.db", grpc_port=0, port=0, exposure=exposure)
    async with run_services(settings) as running:
        yield running


@pytest.mark.parametrize("host", _ALL_INTERFACES)
async def test_a_server_for_other_machines_is_refused_without_encryption(tmp_path: Path, host: str) -> None:
    settings = ServeSettings(database=tmp_path / "s.db", grpc_port=0, port=0, exposure=Exposure(host=host))
    with pytest.raises(ExposureRefused, match="--tls-cert"):
        async with run_services(settings):
            pytest.fail("it started")
    agent = SimulatedAgentConfig(name="a", agent=LlmAgent(name="a"), eval_set_path=tmp_path / "a.json")
    with pytest.raises(ExposureRefused, match="--behind-tls-proxy"):
        await AgentSimulator([agent]).start(host, 0)

    assert not (tmp_path / "s.db").exists()


@pytest.mark.parametrize("options", [[], ["--behind-tls-proxy"]])
def test_the_command_refuses_to_serve_other_machines_without_token_or_encryption(
    tmp_path: Path, options: list[str]
) -> None:
    host = ["--host", "0.0.0.0", "--allow-unauthenticated"]  # noqa: S104 - refused, not bound
    refused = invoke_adksim("serve", "--db", tmp_path / "s.db", *host, *options)

    assert refused.exit_code == 1
    assert "a token is required" in refused.stderr


@pytest.mark.process
def test_a_private_key_that_others_can_read_is_refused(tls: TlsFiles) -> None:
    tls.check()
    tls.key.chmod(0o644)
    if os.name == "posix":
        with pytest.raises(InsecureFile, match="mode 0644"):
            tls.check()
    tls.key.chmod(0o600)
    with pytest.raises(ExposureRefused, match="are not a certificate"):
        TlsFiles(certificate=tls.key, key=tls.key).check()


@pytest.mark.process
async def test_an_agent_is_played_over_tls_by_a_certificate_of_an_own_authority(
    served: RunningServices, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ADK_SIM_SERVER_URL", f"https://localhost:{served.grpc.port}")
    monkeypatch.setenv("ADK_SIM_CA_FILE", str(tmp_path / "ca.pem"))
    monkeypatch.setenv("ADK_SIM_TOKEN", served.token)
    app = App(name="app", root_agent=LlmAgent(name="math", model="no-such-model"), plugins=[SimulatorPlugin()])
    runner = InMemoryRunner(app=app)
    session = await runner.session_service.create_session(app_name="app", user_id="u")
    message = types.Content(role="user", parts=[types.Part(text="2+2?")])
    async with run_person(served.timeline, decide_in_order([text_response("4")])):
        events = [event async for event in runner.run_async(user_id="u", session_id=session.id, new_message=message)]
    await runner.close()

    assert events[-1].content
    assert [part.text for part in events[-1].content.parts or ()] == ["4"]


@pytest.mark.process
async def test_a_certificate_that_is_not_trusted_ends_the_connection(served: RunningServices, tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    create_certificate(tmp_path / "other")
    certificates = (tmp_path / "other" / "ca.pem").read_bytes()
    credentials = Credentials(token=served.token, root_certificates=certificates)
    url = f"https://localhost:{served.grpc.port}"
    async with RemoteLink(url, connect_timeout=0.5, credentials=credentials) as link:
        with pytest.raises(ServerUnreachable, match="ADK_SIM_CA_FILE"):
            await link.list_sessions()


@pytest.mark.process
async def test_nobody_can_connect_without_encryption_or_token(served: RunningServices, tmp_path: Path) -> None:
    async with grpc.aio.insecure_channel(f"127.0.0.1:{served.grpc.port}") as channel:
        with pytest.raises(grpc.aio.AioRpcError) as plain:
            await build_stub(channel).ListSessions(v1.ListSessionsRequest())
    credentials = grpc.ssl_channel_credentials((tmp_path / "ca.pem").read_bytes())
    async with grpc.aio.secure_channel(f"localhost:{served.grpc.port}", credentials) as channel:
        with pytest.raises(grpc.aio.AioRpcError) as without_token:
            await build_stub(channel).ListSessions(v1.ListSessionsRequest())

    assert plain.value.code() is grpc.StatusCode.UNAVAILABLE
    assert without_token.value.code() is grpc.StatusCode.UNAUTHENTICATED


@pytest.mark.process
async def test_a_browser_uses_https_and_its_cookie_is_sent_only_there(served: RunningServices, tmp_path: Path) -> None:
    assert served.web
    machine = socket.gethostname()
    assert served.web.url.startswith(f"https://{machine}:{served.web.port}/?code=")
    assert served.grpc.address == f"https://{machine}:{served.grpc.port}"
    context = ssl.create_default_context(cafile=str(tmp_path / "ca.pem"))
    async with httpx.AsyncClient(verify=context, base_url=f"https://localhost:{served.web.port}") as client:
        code = served.web.url.partition("/?")[2]
        opened = await client.get(f"/?{code}")
        assert opened.status_code == 303
        assert "; Secure" in opened.headers["set-cookie"]
        assert (await client.get("/api/server")).status_code == 200
        assert (await client.get("/", headers={"Host": "evil.example"})).status_code == 421
        named = {"Host": f"{machine}:{served.web.port}"}
        assert (await client.get("/api/server", headers=named)).status_code == 200


@pytest.mark.process
async def test_the_command_finds_a_server_with_a_certificate(served: RunningServices) -> None:
    assert served.web
    printed = await asyncio.to_thread(invoke_adksim, "open", "--port", str(served.web.port))

    assert printed.stdout.startswith(f"https://{socket.gethostname()}:{served.web.port}/?code=")


@pytest.mark.parametrize(
    ("exposure", "web_url", "grpc_url"),
    [
        (Exposure(), "http://127.0.0.1:8", "127.0.0.1:9"),
        (Exposure(host="localhost"), "http://localhost:8", "localhost:9"),
        (Exposure(host="::1"), "http://[::1]:8", "[::1]:9"),
        (Exposure(allow_hosts=["forwarded:1"]), "http://127.0.0.1:8", "127.0.0.1:9"),
        (Exposure(host="0.0.0.0", behind_tls_proxy=True), "http://127.0.0.1:8", "127.0.0.1:9"),  # noqa: S104
        (Exposure(behind_tls_proxy=True, allow_hosts=["sim.example"]), "https://sim.example", "127.0.0.1:9"),
    ],
)
def test_the_printed_addresses_are_those_that_work(exposure: Exposure, web_url: str, grpc_url: str) -> None:
    exposure.check()

    assert exposure.build_web_url(8) == web_url
    assert web_url.partition("://")[2] in exposure.list_web_hosts(8)
    assert exposure.build_grpc_url(9) == grpc_url

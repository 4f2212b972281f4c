"""The user signs in at a real OAuth 2.0 server: ADK exchanges the code as on a plain Runner, and nothing is kept."""

from __future__ import annotations

import asyncio
import json
import logging
from collections.abc import Iterator
from pathlib import Path

import pytest
from api_client import serve_agents
from fidelity_runs import normalize_events
from oauth_server import SECRETS, OAuthServer, build_signed_in_app, serve_oauth
from plain_pauses import find_answer, replace_oauth_state, run_plainly
from scripted_model import ScriptedModel, call_response, text_response

from adk_agent_sim import Simulation
from adk_agent_sim.adk.steps.steps import CredentialRequest, ModelTurn

CALL = ("get_weather", {"city": "Rome"})
KINDS = pytest.mark.parametrize("kind", ["function", "authenticated function", "openapi"])


@pytest.fixture
def oauth() -> Iterator[OAuthServer]:
    with serve_oauth() as server:
        yield server


async def _play(sim: Simulation, oauth: OAuthServer) -> str:
    """Play a session in which the user signs in; return the address to which the provider sent them first."""
    turn = await sim.send("How is Rome?")
    asked = await turn.call(*CALL)
    assert isinstance(asked, CredentialRequest)
    auth_uri = asked.form.auth_uri
    turn = await asked.answer({"auth_response_uri": await asyncio.to_thread(oauth.sign_in, auth_uri)})
    assert isinstance(turn, ModelTurn)
    assert oauth.exchanges[-1:] == ["authorization_code"], oauth.refusals
    assert "clear" in str(turn.results)
    await turn.respond("Sunny")
    return auth_uri


@KINDS
async def test_adk_exchanges_the_code_as_on_a_plain_runner(oauth: OAuthServer, kind: str) -> None:
    async with Simulation(build_signed_in_app("m", oauth, kind)) as sim:
        auth_uri = await _play(sim, oauth)
        played, answer = normalize_events(sim.events()), find_answer(sim)

    await asyncio.to_thread(oauth.sign_in, auth_uri)  # a code is exchanged once: the user signs in again
    model = ScriptedModel(script=[call_response(CALL), text_response("Sunny")])
    plain = await run_plainly(build_signed_in_app(model, oauth, kind), "How is Rome?", answer)

    for events in (played, plain):
        replace_oauth_state(events)
    assert played == plain
    assert "clear" in str(plain[-2])
    assert (oauth.exchanges, oauth.refusals) == (["authorization_code"] * 2, [])


@KINDS
async def test_neither_codes_nor_tokens_are_kept(
    oauth: OAuthServer, kind: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    (tmp_path / "tests").mkdir()
    async with Simulation(build_signed_in_app("m", oauth, kind)) as sim:
        await _play(sim, oauth)
        sim.export(tmp_path / "weather.evalset.json")
        await sim.export_jsonl(tmp_path / "weather.jsonl")
        sim.export_adk_test(tmp_path / "tests" / "weather.json", force=True)
        (tmp_path / "report.md").write_text(sim.report(redact=False))
        recorded = repr(sim.log())

    _check_files(tmp_path, 4)
    assert [secret for secret in SECRETS if secret in recorded] == []
    assert [secret for secret in SECRETS if secret in caplog.text] == []


@KINDS
async def test_neither_codes_nor_tokens_are_in_the_database_of_a_server(
    oauth: OAuthServer, kind: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with serve_agents(tmp_path, build_signed_in_app("m", oauth, kind), database=tmp_path / "kept.db") as browser:
        session_id = await browser.start_session("weather", "How is Rome?")
        await browser.call_tools(session_id, CALL)
        pause = (await browser.wait_for_request(session_id, "credential"))["pause"]
        auth_response_uri = await asyncio.to_thread(oauth.sign_in, pause["auth_uri"])
        url = f"/sessions/{session_id}/requests/{pause['request_id']}/answer"
        await browser.post(url, {"value": json.dumps({"auth_response_uri": auth_response_uri})})
        await browser.respond(session_id, "Sunny")
        await browser.wait_for_status(session_id, "done")
        rows = await browser.get_rows(session_id)
        state = await browser.get(f"/sessions/{session_id}/state")

    assert oauth.exchanges == ["authorization_code"]
    assert "clear" in json.dumps(rows)
    assert [secret for secret in SECRETS if secret in json.dumps([rows, state])] == []
    _check_files(tmp_path, 1)
    assert [secret for secret in SECRETS if secret in caplog.text] == []


def _check_files(folder: Path, count: int) -> None:
    """Check that so many files were written, or more, and that none has a secret in it."""
    files = {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file()}
    assert len(files) >= count
    assert any(b"get_weather" in data for data in files.values())
    kept = [(name, secret) for name, data in files.items() for secret in SECRETS if secret.encode() in data]
    assert kept == []


@KINDS
async def test_a_code_that_the_provider_refuses_is_treated_as_on_a_plain_runner(oauth: OAuthServer, kind: str) -> None:
    async with Simulation(build_signed_in_app("m", oauth, kind)) as sim:
        turn = await sim.send("How is Rome?")
        asked = await turn.call(*CALL)
        assert isinstance(asked, CredentialRequest)
        address = await asyncio.to_thread(oauth.sign_in, asked.form.auth_uri)
        oauth.open_codes.clear()  # as if it had expired
        step = await asked.answer({"auth_response_uri": address})
        if isinstance(step, ModelTurn):
            await step.respond("Sorry")
        played, answer = normalize_events(sim.events()), find_answer(sim)
    refusals = list(oauth.refusals)

    model = ScriptedModel(script=[call_response(CALL), text_response("Sorry")])
    plain = await run_plainly(build_signed_in_app(model, oauth, kind), "How is Rome?", answer)

    for events in (played, plain):
        replace_oauth_state(events)
    assert played == plain
    assert set(refusals) == {"invalid_grant"}
    assert oauth.refusals == refusals * 2
    assert oauth.exchanges == []

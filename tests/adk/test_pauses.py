"""Agents that pause for input or for a credential: what a person sees, what ADK gets, and what is recorded."""

from __future__ import annotations

import logging
from base64 import b64encode
from pathlib import Path
from typing import Any

import pytest
from fidelity_runs import normalize_events
from google.adk.agents import LlmAgent
from google.adk.auth.auth_credential import AuthCredential, AuthCredentialTypes
from google.adk.tools import ToolContext
from pausing_agents import (
    AUTH_CONFIGS,
    build_asking_app,
    build_code_app,
    build_credential_app,
    build_key_node_app,
    build_trip_app,
)
from plain_pauses import find_answer, replace_oauth_state, run_plainly
from scripted_model import ScriptedModel, call_response, text_response

from adk_agent_sim import Simulation
from adk_agent_sim.adk.evals.recording_replay import replay_recording
from adk_agent_sim.adk.steps.steps import CredentialRequest, Done, InputRequest, ModelTurn
from adk_agent_sim.errors import InvalidCredential, InvalidInput, InvalidTransition, RunFailed
from adk_agent_sim.golden.recording import build_recording
from adk_agent_sim.timeline.events import UserSpoke
from adk_agent_sim.timeline.read_model.pending_requests import RequestKind
from adk_agent_sim.timeline.read_model.session_summary import SessionStatus

SECRET = "sk-live-Zq81mQ0vXe"  # noqa: S105 - a made-up one

ANSWERS: dict[str, Any] = {
    "api_key": SECRET,
    "basic": {"username": "ada", "password": SECRET},
    "bearer": SECRET,
    "oauth": {"access_token": SECRET},
}


class TestInput:
    async def test_a_workflow_asks_for_input_by_its_schema(self) -> None:
        async with Simulation(build_trip_app()) as sim:
            asked = await sim.send("hello")
            assert isinstance(asked, InputRequest)
            assert asked.message == "Where to?"
            assert asked.payload == {"from": "Bern"}
            assert list((asked.response_schema or {})["properties"]) == ["city", "nights"]
            summary = await sim.timeline.get_summary(sim.session_id)
            assert summary.status is SessionStatus.WAITING
            assert [request.kind for request in summary.pending.values()] == [RequestKind.INPUT]

            done = await asked.answer({"city": "Rome", "nights": 2})
            assert isinstance(done, Done)
            assert done.text == "Booked {'city': 'Rome', 'nights': 2}"
            assert not (await sim.timeline.get_summary(sim.session_id)).pending

    async def test_input_that_does_not_match_is_refused_unless_it_is_sent_anyway(self) -> None:
        async with Simulation(build_code_app()) as sim:
            await sim.send("hello")
            with pytest.raises(InvalidInput, match="must be text"):
                await sim.answer(5)
            assert isinstance(await sim.next(), InputRequest)
            with pytest.raises(RunFailed, match="string"):
                await sim.answer(5, force=True)

    async def test_a_text_that_looks_like_a_number_stays_a_text(self) -> None:
        async with Simulation(build_code_app()) as sim:
            await sim.send("hello")
            done = await sim.answer("0815")
            assert done.text == "Booked '0815'"

    async def test_as_on_a_plain_runner(self) -> None:
        async with Simulation(build_trip_app()) as sim:
            await sim.send("hello")
            await sim.answer({"city": "Rome", "nights": 2})
            plain = await run_plainly(build_trip_app(), "hello", find_answer(sim))
            assert normalize_events(sim.events()) == plain
            assert len(plain) == 4

    async def test_a_model_asks_the_user_by_a_tool(self) -> None:
        schema = {"type": "object", "properties": {"size": {"type": "integer"}}, "required": ["size"]}
        call = ("adk_request_input", {"message": "Which size?", "response_schema": schema})
        async with Simulation(build_asking_app("m")) as sim:
            turn = await sim.send("One shirt")
            asked = await turn.call(*call)
            assert isinstance(asked, InputRequest)
            assert (asked.message, asked.response_schema) == ("Which size?", schema)
            turn = await asked.answer({"size": 42})
            assert isinstance(turn, ModelTurn)
            assert turn.results == [{"size": 42}]
            await turn.respond("Ordered")
            script = [call_response(call), text_response("Ordered")]
            plain = await run_plainly(build_asking_app(ScriptedModel(script=script)), "One shirt", find_answer(sim))
            assert normalize_events(sim.events()) == plain

    @pytest.mark.req("001/SC-002")
    async def test_the_export_says_that_the_input_is_not_given_again(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        async with Simulation(build_asking_app("m")) as sim:
            turn = await sim.send("One shirt")
            await turn.call("adk_request_input", {"message": "Which size?"})
            turn = await sim.answer("42")
            await turn.respond("Ordered")
            sim.export(tmp_path / "shop.evalset.json")
        assert "user turn 1 asked for input, which `adk eval` cannot give again" in caplog.text

    async def test_a_new_message_gives_the_request_up(self) -> None:
        async with Simulation(build_trip_app()) as sim:
            await sim.send("hello")
            again = await sim.send("hello again")
            assert isinstance(again, InputRequest)
            assert len((await sim.timeline.get_summary(sim.session_id)).pending) == 1

    async def test_only_what_is_asked_for_can_be_given(self) -> None:
        async with Simulation(build_trip_app()) as sim:
            asked = await sim.send("hello")
            with pytest.raises(InvalidTransition, match="the user must give the input"):
                await asked.respond("hi")
            with pytest.raises(InvalidTransition, match="You cannot sign in now"):
                await asked.sign_in()


class TestCredentials:
    @pytest.mark.parametrize("scheme", ANSWERS)
    async def test_a_tool_gets_the_credential_that_the_user_gives(self, scheme: str) -> None:
        async with Simulation(build_credential_app("m", scheme)) as sim:
            turn = await sim.send("How is Rome?")
            asked = await turn.call("get_weather", {"city": "Rome"})
            assert isinstance(asked, CredentialRequest)
            assert (await sim.timeline.get_summary(sim.session_id)).status is SessionStatus.WAITING
            turn = await asked.answer(ANSWERS[scheme])
            assert isinstance(turn, ModelTurn)
            assert turn.results == [{"city": "Rome", "secret_length": len(SECRET)}]
            assert isinstance(await turn.respond("Sunny"), Done)

    @pytest.mark.parametrize("scheme", ANSWERS)
    async def test_as_on_a_plain_runner(self, scheme: str) -> None:
        script = [call_response(("get_weather", {"city": "Rome"})), text_response("Sunny")]
        async with Simulation(build_credential_app("m", scheme)) as sim:
            turn = await sim.send("How is Rome?")
            await turn.call("get_weather", {"city": "Rome"})
            turn = await sim.answer(ANSWERS[scheme])
            await turn.respond("Sunny")
            app = build_credential_app(ScriptedModel(script=script), scheme)
            plain = await run_plainly(app, "How is Rome?", find_answer(sim))
            mine = normalize_events(sim.events())
            for events in (mine, plain):
                replace_oauth_state(events)
            assert mine == plain
            assert len(plain) == 7

    async def test_a_node_of_a_workflow_gets_it_as_on_a_plain_runner(self) -> None:
        async with Simulation(build_key_node_app()) as sim:
            asked = await sim.send("hello")
            assert isinstance(asked, CredentialRequest)
            done = await sim.answer(SECRET)
            assert done.text == f"Called with {len(SECRET)} characters"
            plain = await run_plainly(build_key_node_app(), "hello", find_answer(sim))
            assert normalize_events(sim.events()) == plain
            assert SECRET not in repr(sim.log())

    async def test_a_simulated_sign_in_is_replayed_and_a_credential_is_not(self, tmp_path: Path) -> None:
        for answer, is_replayed in ((None, True), (SECRET, False)):
            async with Simulation(build_credential_app("m")) as sim:
                turn = await sim.send("How is Rome?")
                asked = await turn.call("get_weather", {"city": "Rome"})
                turn = await (asked.sign_in() if answer is None else asked.answer(answer))
                await turn.respond("Sunny")
                recording = build_recording(sim.log(), "weather")
            replay = await replay_recording(build_credential_app("m"), recording)
            assert (not replay.problem) is is_replayed, replay.problem
            assert is_replayed or "No recording contains a credential" in replay.problem

    async def test_a_signed_in_user_is_simulated(self) -> None:
        async with Simulation(build_credential_app("m", "oauth")) as sim:
            turn = await sim.send("How is Rome?")
            asked = await turn.call("get_weather", {"city": "Rome"})
            assert isinstance(asked, CredentialRequest)
            assert asked.form.title == "OAuth 2.0 sign-in"
            assert asked.form.auth_uri.startswith("https://login.example/auth?")
            turn = await asked.sign_in()
            assert isinstance(turn, ModelTurn)
            assert turn.results == [{"city": "Rome", "secret_length": len("simulated-access-token")}]
            spoken = [event.payload for event in sim.log() if isinstance(event.payload, UserSpoke)][-1]
            assert spoken.content["parts"][0]["function_response"]["response"] == {"credential": "simulated"}

    async def test_an_adk_credential_is_accepted(self) -> None:
        async with Simulation(build_credential_app("m")) as sim:
            turn = await sim.send("How is Rome?")
            await turn.call("get_weather", {"city": "Rome"})
            turn = await sim.answer(AuthCredential(auth_type=AuthCredentialTypes.API_KEY, api_key=SECRET))
            assert isinstance(turn, ModelTurn)
            assert turn.results == [{"city": "Rome", "secret_length": len(SECRET)}]

    @pytest.mark.parametrize("answer", [{"password": SECRET}, {"api_key": [SECRET]}, [SECRET], 5])
    async def test_other_fields_are_refused_without_repeating_them(self, answer: object) -> None:
        async with Simulation(build_credential_app("m")) as sim:
            turn = await sim.send("How is Rome?")
            await turn.call("get_weather", {"city": "Rome"})
            with pytest.raises(InvalidCredential) as refused:
                await sim.answer(answer)
            assert "api_key" in str(refused.value)
            assert SECRET not in str(refused.value)
            assert isinstance(await sim.next(), CredentialRequest)

    async def test_a_credential_is_in_no_export_and_in_no_log(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        """Even if the tool returns it to the model, and keeps it in the state."""
        caplog.set_level(logging.DEBUG)
        async with Simulation(build_credential_app("m", echoes=True)) as sim:
            turn = await sim.send("How is Rome?")
            await turn.call("get_weather", {"city": "Rome"})
            turn = await sim.answer(SECRET)
            assert isinstance(turn, ModelTurn)
            assert turn.results == [{"city": "Rome", "sent": f"X-Weather-Key: {SECRET}"}]
            await turn.respond("Sunny")
            assert (await sim.state())["used"] == SECRET

            sim.export(tmp_path / "weather.evalset.json")
            await sim.export_jsonl(tmp_path / "weather.jsonl")
            (tmp_path / "tests").mkdir()
            sim.export_adk_test(tmp_path / "tests" / "weather.json", force=True)
            (tmp_path / "report.md").write_text(sim.report(redact=False))
        written = _list_files(tmp_path)
        assert len(written) == 4
        for path in written:
            assert SECRET.encode() not in path.read_bytes(), path
            assert b"get_weather" in path.read_bytes(), path
        assert SECRET not in caplog.text
        assert SECRET not in repr(sim.log())

    @pytest.mark.parametrize("scheme", ["basic", "oauth"])
    async def test_what_a_tool_makes_of_a_credential_is_in_no_export(self, scheme: str, tmp_path: Path) -> None:
        """The header of basic authentication, and the credential as a text."""
        config = AUTH_CONFIGS[scheme]
        sent = f"Basic {b64encode(f'ada:{SECRET}'.encode()).decode()}"

        def call_service(tool_context: ToolContext) -> dict[str, Any]:
            """Call a service."""
            credential = tool_context.get_auth_response(config)
            if credential is None:
                tool_context.request_credential(config)
                return {"status": "waiting"}
            return {"header": sent, "credential": str(credential.model_dump(exclude_none=True))}

        async with Simulation(LlmAgent(name="caller", model="m", tools=[call_service])) as sim:
            turn = await sim.send("Call it")
            await turn.call("call_service", {})
            turn = await sim.answer(ANSWERS[scheme])
            assert isinstance(turn, ModelTurn)
            assert SECRET in str(turn.results)
            await turn.respond("Called")
            sim.export(tmp_path / "call.evalset.json")
            await sim.export_jsonl(tmp_path / "call.jsonl")
        written = "".join(path.read_text() for path in _list_files(tmp_path))
        assert "call_service" in written
        assert SECRET not in written
        assert (sent in written) is (scheme == "oauth")  # where it is no form of the credential

    @pytest.mark.req("001/SC-002")
    async def test_the_export_says_what_cannot_be_replayed(
        self, tmp_path: Path, caplog: pytest.LogCaptureFixture
    ) -> None:
        async with Simulation(build_credential_app("m")) as sim:
            turn = await sim.send("How is Rome?")
            await turn.call("get_weather", {"city": "Rome"})
            turn = await sim.answer(SECRET)
            await turn.respond("Sunny")
            sim.export(tmp_path / "weather.evalset.json")
        assert "user turn 1 asked for a credential, which `adk eval` cannot give again" in caplog.text


def _list_files(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]

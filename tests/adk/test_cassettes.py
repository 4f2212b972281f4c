"""The agents' own models are recorded to a cassette, and answered from it without any model."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncGenerator, Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from google.adk.agents import (
    LlmAgent,
    ParallelAgent,  # pyright: ignore[reportDeprecated] - users still have them
    RunConfig,
    SequentialAgent,  # pyright: ignore[reportDeprecated]
)
from google.adk.agents.run_config import StreamingMode  # pyright: ignore[reportPrivateImportUsage] - as documented
from google.adk.apps import App
from google.adk.models import BaseLlm
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.runners import InMemoryRunner
from google.adk.tools import AgentTool, ToolContext
from google.genai import types
from pydantic import PrivateAttr
from scripted_model import ScriptedModel, call_response, text_response

from adk_agent_sim import Simulation, SimulatorPlugin
from adk_agent_sim.adk.evals.recording_replay import replay_recording
from adk_agent_sim.adk.steps.steps import Done
from adk_agent_sim.errors import (
    CassetteMismatch,
    ImportRefused,
    InvalidCassetteMode,
    RecordedModelFailed,
    RunFailed,
)
from adk_agent_sim.golden.recording_files import read_recordings
from adk_agent_sim.timeline.events import Player, TurnDecided

SUM = [call_response(("add", {"a": 2, "b": 2})), text_response("It is 4.")]


class NoModel(BaseLlm):
    """A model that must not be asked; it has the name of the scripted one."""

    model: str = "scripted"

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        raise AssertionError("the model was asked")
        yield LlmResponse()


class FailingModel(BaseLlm):
    """A model that always fails."""

    model: str = "scripted"

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        raise ConnectionResetError("quota of key sk-ant-api03-" + "a1B2" * 23)
        yield LlmResponse()


class StreamingModel(BaseLlm):
    """A model that streams a thought and words, and then the whole answer."""

    model: str = "scripted"
    _words: tuple[str, ...] = PrivateAttr(default=("It ", "is ", "4."))
    _complete: str = PrivateAttr(default="It is 4.")

    def set_words(self, *words: str, complete: str = "") -> None:
        """Stream other words."""
        self._words, self._complete = words, complete or "".join(words)

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        thought = types.Part(text="Hm. ", thought=True)
        words = [types.Part(text=word) for word in self._words]
        for part in (thought, *words):
            yield LlmResponse(content=types.Content(role="model", parts=[part]), partial=True)
        parts = [thought, types.Part(text=self._complete)]
        yield LlmResponse(content=types.Content(role="model", parts=parts))


def _build_content(text: str) -> types.Content:
    return types.Content(role="model", parts=[types.Part(text=text)])


def add(a: int, b: int) -> int:
    """Add."""
    return a + b


def build_agent(model: BaseLlm | None = None, **settings: Any) -> LlmAgent:
    settings = {"name": "math", "instruction": "Be polite.", "tools": [add], **settings}
    return LlmAgent(model=model or NoModel(), **settings)


async def say(agent: LlmAgent, player: str, *messages: str, state: dict[str, Any] | None = None) -> list[str]:
    """Return the answers to messages."""
    answers: list[str] = []
    async with Simulation(agent, model=player, state=state) as sim:
        for message in messages:
            done = await sim.send(message)
            assert isinstance(done, Done)
            answers.append(done.text)
    return answers


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "math.cassette.json"


@pytest.fixture(autouse=True)
def no_mode(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ADK_SIM_CASSETTE", raising=False)


async def record(file: Path, *messages: str, script: Sequence[dict[str, Any]] = SUM, **settings: Any) -> None:
    await say(build_agent(ScriptedModel(script=list(script)), **settings), f"record:{file}", *messages)


async def replay(file: Path, *messages: str, **settings: Any) -> list[str]:
    return await say(build_agent(**settings), f"replay:{file}", *messages)


def read(file: Path) -> str:
    return file.read_text(encoding="utf-8")


def write(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8")


def list_turns(file: Path) -> list[dict[str, Any]]:
    return [turn for session in json.loads(read(file))["sessions"] for run in session["runs"] for turn in run["turns"]]


async def test_a_recorded_model_is_replayed_without_a_model(file: Path) -> None:
    await record(file, "2+2?", "again?", script=[*SUM, text_response("Still 4.")])
    written = read(file)

    assert await replay(file, "2+2?", "again?") == ["It is 4.", "Still 4."]
    assert read(file) == written


async def test_recording_again_gives_the_same_file(file: Path, tmp_path: Path) -> None:
    await record(file, "2+2?")
    first = read(file)
    await record(file, "2+2?")
    await record(tmp_path / "other.json", "2+2?")

    assert read(file) == first == read(tmp_path / "other.json")


async def test_the_timeline_says_who_answered(file: Path) -> None:
    players: list[set[Player | None]] = []
    for model, player in ((ScriptedModel(script=SUM), f"record:{file}"), (NoModel(), f"replay:{file}")):
        async with Simulation(build_agent(model), model=player) as sim:
            await sim.send("2+2?")
            players.append({event.player for event in sim.log() if isinstance(event.payload, TurnDecided)})

    assert players == [{Player.REAL}, {Player.RECORDED}]


async def test_the_plugin_records_and_replays_without_a_server(
    file: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.delenv("ADK_SIM_SERVER_URL", raising=False)
    answers: list[str] = []
    for model, player in ((ScriptedModel(script=SUM), f"record:{file}"), (NoModel(), f"replay:{file}")):
        app = App(name="app", root_agent=build_agent(model), plugins=[SimulatorPlugin(player=player)])
        runner = InMemoryRunner(app=app)
        answers.append(await _run(runner, "2+2?"))
        await runner.close()

    assert answers == ["It is 4.", "It is 4."]
    assert not [each for each in caplog.records if "server" in each.message]


async def _run(runner: InMemoryRunner, message: str, user: str = "u") -> str:
    session = await runner.session_service.create_session(app_name="app", user_id=user)
    content = types.Content(role="user", parts=[types.Part(text=message)])
    text = ""
    async for event in runner.run_async(user_id=user, session_id=session.id, new_message=content):
        text = "".join(part.text or "" for part in (event.content.parts if event.content else None) or ())
    return text


class TestDifferences:
    async def _find(self, file: Path, *messages: str, **settings: Any) -> CassetteMismatch:
        before = read(file)
        with pytest.raises(RunFailed) as raised:
            await replay(file, *messages, **settings)
        assert read(file) == before
        assert isinstance(raised.value.__cause__, CassetteMismatch)
        return raised.value.__cause__

    async def test_a_changed_instruction(self, file: Path, caplog: pytest.LogCaptureFixture) -> None:
        await record(file, "2+2?")

        error = await self._find(file, "2+2?", instruction="Be brief.")

        assert "agent 'math' (user message 1, turn 1 of 'math')" in str(error)
        assert "in the instruction: Be [-polite-]{+brief+}." in str(error)
        assert "ADK_SIM_CASSETTE=update" in str(error)
        assert (error.agent_name, error.message_number, error.turn_number) == ("math", 1, 1)
        assert str(error) in caplog.text  # `adk web` and `adk eval` show only the log

    async def test_a_changed_tool(self, file: Path) -> None:
        def add(a: int, b: int) -> int:
            """Multiply."""
            return a * b

        await record(file, "2+2?")

        assert "in tool 'add': " in (message := str(await self._find(file, "2+2?", tools=[add])))
        assert "[-Add-]{+Multiply+}" in message

    async def test_a_tool_that_is_new_or_missing(self, file: Path) -> None:
        await record(file, "2+2?")

        assert "tool 'add': it was offered, and is not offered now" in str(await self._find(file, "2+2?", tools=[]))
        message = str(await self._find(file, "2+2?", tools=[add, read]))
        assert "tool 'read': it is offered, and was not offered before" in message

    async def test_a_changed_tool_result(self, file: Path) -> None:
        def make_add(result: int) -> Callable[..., int]:
            def add(a: int, b: int) -> int:
                """Add."""
                return result

            return add

        await record(file, "2+2?", tools=[make_add(4)])

        error = await self._find(file, "2+2?", tools=[make_add(5)])

        assert error.turn_number == 2
        assert "content 3 (response of tool 'add')" in str(error)
        assert "[-4-]{+5+}" in str(error)

    async def test_a_changed_user_message(self, file: Path) -> None:
        await record(file, "Is 2+2 really four?")
        await record(file, "Something else entirely")

        error = await self._find(file, "Is 2+2 really five?")

        assert "content 1 (user message): Is 2+2 really [-four-]{+five+}?" in str(error)

    async def test_a_changed_second_message(self, file: Path) -> None:
        await record(file, "2+2?", "thanks a lot", script=[*SUM, text_response("Welcome.")])

        error = await self._find(file, "2+2?", "thanks a bit")

        assert (error.message_number, error.turn_number) == (2, 1)
        assert "content 5 (user message): thanks a [-lot-]{+bit+}" in str(error)

    async def test_a_changed_setting(self, file: Path) -> None:
        await record(file, "2+2?", generate_content_config=types.GenerateContentConfig(temperature=0.5))

        hot = types.GenerateContentConfig(temperature=1.0)
        error = await self._find(file, "2+2?", generate_content_config=hot)

        assert "the setting 'temperature': [-0.5-]{+1.0+}" in str(error)

    async def test_more_messages_than_recorded(self, file: Path) -> None:
        await record(file, "2+2?")

        error = await self._find(file, "2+2?", "and 3+3?")

        assert error.message_number == 2
        assert "it has no session with 2 user messages like these" in str(error)

    async def test_more_turns_than_recorded(self, file: Path) -> None:
        await record(file, "2+2?")
        document = json.loads(read(file))
        del document["sessions"][0]["runs"][0]["turns"][1]
        write(file, json.dumps(document))

        error = await self._find(file, "2+2?")

        assert error.turn_number == 2
        assert "the agent calls its model more often than it was recorded" in str(error)

    async def test_fewer_turns_than_recorded_are_logged(self, file: Path, caplog: pytest.LogCaptureFixture) -> None:
        await record(file, "2+2?")
        document = json.loads(read(file))
        document["sessions"][0]["runs"][0]["turns"][0]["responses"] = [text_response("Four.")]
        write(file, json.dumps(document))

        assert await replay(file, "2+2?") == ["Four."]
        assert "did not ask for 1 of the turns" in caplog.text


class TestUpdate:
    @pytest.fixture(autouse=True)
    def update(self, no_mode: None, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("ADK_SIM_CASSETTE", "update")

    async def test_only_the_changed_turn_is_recorded_again(self, file: Path) -> None:
        def make_add(result: int) -> Callable[..., int]:
            def add(a: int, b: int) -> int:
                """Add."""
                return result

            return add

        await record(file, "2+2?", "bye", script=[*SUM, text_response("Bye.")], tools=[make_add(4)])
        before = list_turns(file)
        model = ScriptedModel(script=[text_response("It is 5."), text_response("Good bye.")])

        answers = await say(build_agent(model, tools=[make_add(5)]), f"replay:{file}", "2+2?", "bye")

        assert answers == ["It is 5.", "Good bye."]
        assert len(model.requests) == 2  # the second message repeats the changed result
        assert list_turns(file)[0] == before[0]
        assert await replay(file, "2+2?", "bye", tools=[make_add(5)]) == answers

    async def test_a_turn_that_still_fits_is_not_asked_again(self, file: Path) -> None:
        shy = {"include_contents": "none"}
        await record(file, "a", "b", script=[text_response("A"), text_response("B")], **shy)
        document = json.loads(read(file))
        document["sessions"][0]["runs"][0]["turns"][0]["contents"] = []
        write(file, json.dumps(document))
        model = ScriptedModel(script=[text_response("A again")])

        assert await say(build_agent(model, **shy), f"replay:{file}", "a", "b") == ["A again", "B"]
        assert len(model.requests) == 1

    async def test_turns_after_it_that_do_not_fit_are_dropped(self, file: Path) -> None:
        await record(file, "2+2?")
        model = ScriptedModel(script=[text_response("Four!")])

        await say(build_agent(model, instruction="Be brief."), f"replay:{file}", "2+2?")

        assert [turn["responses"] for turn in list_turns(file)] == [[text_response("Four!")]]
        assert await replay(file, "2+2?", instruction="Be brief.") == ["Four!"]

    async def test_a_new_conversation_is_added(self, file: Path) -> None:
        await record(file, "2+2?")
        model = ScriptedModel(script=[text_response("Hi.")])

        await say(build_agent(model), f"replay:{file}", "hello")

        assert len(model.requests) == 1
        assert await replay(file, "2+2?") == ["It is 4."]
        assert await replay(file, "hello") == ["Hi."]

    async def test_a_longer_conversation_replaces_the_shorter(self, file: Path) -> None:
        await record(file, "2+2?")
        model = ScriptedModel(script=[text_response("Bye.")])

        await say(build_agent(model), f"replay:{file}", "2+2?", "bye")

        assert len(json.loads(read(file))["sessions"]) == 1
        assert await replay(file, "2+2?", "bye") == ["It is 4.", "Bye."]

    async def test_only_the_session_that_changed_is_replaced(self, file: Path) -> None:
        for name in ("Ada", "Bob"):
            model = ScriptedModel(script=[text_response(f"You are {name}.")])
            agent = build_agent(model, instruction="The user is {name}.")
            await say(agent, f"record:{file}", "Who am I?", state={"name": name})
        model = ScriptedModel(script=[text_response("You are Bob, of course.")])

        agent = build_agent(model, instruction="The user is {name}!")
        await say(agent, f"replay:{file}", "Who am I?", state={"name": "Bob"})

        texts = [turn["responses"][0]["content"]["parts"][0]["text"] for turn in list_turns(file)]
        assert texts == ["You are Ada.", "You are Bob, of course."]

    async def test_another_conversation_that_begins_in_the_same_way_is_added(self, file: Path) -> None:
        await record(file, "hi", "I am Ada", script=[text_response("Who are you?"), text_response("Hello Ada.")])
        model = ScriptedModel(script=[text_response("Hello Bob.")])

        assert await say(build_agent(model), f"replay:{file}", "hi", "I am Bob") == ["Who are you?", "Hello Bob."]
        assert await replay(file, "hi", "I am Bob") == ["Who are you?", "Hello Bob."]
        assert await replay(file, "hi", "I am Ada") == ["Who are you?", "Hello Ada."]

    async def test_an_inner_agent_whose_request_is_the_same_is_not_asked_again(self, file: Path) -> None:
        def build(root: BaseLlm, helper: BaseLlm, **settings: Any) -> LlmAgent:
            return build_agent(root, tools=[AgentTool(build_agent(helper, name="helper", tools=[]))], **settings)

        calls = call_response(("helper", {"request": "one"}))
        root = ScriptedModel(script=[calls, text_response("Done.")])
        await say(build(root, EchoModel()), f"record:{file}", "go")

        changed = build(root, NoModel(), instruction="Be brief.")
        assert await say(changed, f"replay:{file}", "go") == ["Done."]
        assert [turn.get("parent_call_id", "") for turn in list_turns(file)] == ["", "adk-call-1", ""]

    async def test_what_has_not_changed_is_not_written(self, file: Path) -> None:
        await record(file, "2+2?")
        stamp = os.stat(file).st_mtime_ns

        await replay(file, "2+2?")

        assert os.stat(file).st_mtime_ns == stamp


@pytest.mark.parametrize("player", ["record", "replay"])
async def test_an_unknown_mode_is_refused(player: str, file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    await record(file, "2+2?")
    monkeypatch.setenv("ADK_SIM_CASSETTE", "overwrite")

    with pytest.raises(InvalidCassetteMode, match=r"ADK_SIM_CASSETTE is 'overwrite'.*set it to record or update"):
        Simulation(build_agent(), model=f"{player}:{file}")


async def test_a_failure_of_the_model_is_recorded_and_raised_again(file: Path) -> None:
    with pytest.raises(RunFailed, match="ConnectionResetError: quota of key sk-ant"):
        await say(build_agent(FailingModel()), f"record:{file}", "2+2?")

    with pytest.raises(RunFailed, match="ConnectionResetError: quota of key") as raised:
        await replay(file, "2+2?")

    assert isinstance(raised.value.__cause__, RecordedModelFailed)
    assert "sk-ant" not in read(file)


class TestStreaming:
    STREAMED = ("*Hm. ", "It ", "is ", "4.")
    COMPLETE = ("*Hm. It is 4.",)

    async def _run(self, agent: LlmAgent, player: str, *, stream: bool) -> tuple[str, ...]:
        """Return the texts of all events, pieces included; a thought has a star."""
        mode = StreamingMode.SSE if stream else StreamingMode.NONE
        async with Simulation(agent, model=player, run_config=RunConfig(streaming_mode=mode)) as sim:
            await sim.send("2+2?")
            events = [event for event in sim.events() if event.author != "user" and event.content]
        assert [event.partial or False for event in events] == [True] * (len(events) - 1) + [False]
        parts = [(event.content.parts if event.content else None) or () for event in events]
        return tuple("".join(("*" if part.thought else "") + (part.text or "") for part in each) for each in parts)

    @pytest.mark.parametrize("stream", [True, False])
    async def test_the_pieces_are_replayed_as_they_were_recorded_if_adk_streams(self, stream: bool, file: Path) -> None:
        recorded = await self._run(build_agent(StreamingModel()), f"record:{file}", stream=True)
        written = read(file)

        assert recorded == self.STREAMED + self.COMPLETE
        assert await self._run(build_agent(), f"replay:{file}", stream=stream) == recorded[0 if stream else -1 :]
        assert read(file) == written

    async def test_an_answer_that_was_not_streamed_is_replayed_in_one_piece(self, file: Path) -> None:
        await record(file, "2+2?", script=[text_response("It is 4.")])

        assert await self._run(build_agent(), f"replay:{file}", stream=True) == ("It is 4.",)
        assert "pieces" not in read(file)

    @pytest.mark.parametrize(
        ("answer", "pieces"),
        [("It is 5, I think.", ("It ", "is ", "5, I think.")), ("It i", ("It ", "i")), ("", ())],
    )
    async def test_an_answer_that_was_edited_by_hand_is_streamed_too(
        self, answer: str, pieces: tuple[str, ...], file: Path
    ) -> None:
        await self._run(build_agent(StreamingModel()), f"record:{file}", stream=True)
        document = json.loads(read(file))
        (turn,) = document["sessions"][0]["runs"][0]["turns"]
        turn["responses"][0]["content"]["parts"][1]["text"] = answer
        write(file, json.dumps(document))

        replayed = await self._run(build_agent(), f"replay:{file}", stream=True)

        assert replayed == ("*Hm. ", *pieces, f"*Hm. {answer}")

    async def test_a_secret_that_is_spread_over_pieces_does_not_reach_the_file(self, file: Path) -> None:
        secret = TestSecrets.SECRET
        model = StreamingModel()
        model.set_words("It is ", secret[:30], secret[30:], ".")

        await self._run(build_agent(model), f"record:{file}", stream=True)

        assert secret[:30] not in read(file)
        assert secret[30:] not in read(file)
        replayed = await self._run(build_agent(), f"replay:{file}", stream=True)
        assert "".join(replayed[:-1]) == replayed[-1] == "*Hm. It is [redacted]."

    async def test_pieces_that_are_not_those_of_the_answer_are_not_recorded(self, file: Path) -> None:
        model = StreamingModel()
        model.set_words("Let me see: ", "it is 4.", complete="It is 4.")

        await self._run(build_agent(model), f"record:{file}", stream=True)

        assert await self._run(build_agent(), f"replay:{file}", stream=True) == ("*Hm. It is 4.",)


class TestSecrets:
    SECRET = "sk-ant-api03-" + "x9Y8" * 23

    async def test_a_secret_never_reaches_the_file_and_a_replay_still_matches(self, file: Path) -> None:
        def look_up(name: str) -> dict[str, str]:
            """Look up."""
            return {"name": name, "key": self.SECRET}

        script = [call_response(("look_up", {"name": "Ada"})), text_response(f"It is {self.SECRET}.")]
        settings = {"tools": [look_up], "instruction": f"Use {self.SECRET}."}
        await record(file, f"Is {self.SECRET} the key?", script=script, **settings)

        assert self.SECRET not in read(file)
        assert await replay(file, f"Is {self.SECRET} the key?", **settings) == ["It is [redacted]."]

    async def test_a_value_that_turns_out_to_be_secret_later_is_masked_before(self, file: Path) -> None:
        password = "correct-horse-7"  # noqa: S105 - an example

        def look_up() -> dict[str, str]:
            """Look up."""
            return {"password": password}

        script = [call_response(("look_up", {})), text_response("Done.")]
        message = f"Does {password} mean anything?"
        await record(file, message, script=script, tools=[look_up])

        assert password not in read(file)
        assert await replay(file, message, tools=[look_up]) == ["Done."]

    async def test_a_secret_of_the_environment_is_masked_and_need_not_be_there_in_a_replay(
        self, file: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("MY_SERVICE_TOKEN", "plain-words-9")
        await record(file, "2+2?", instruction="The word is plain-words-9.")
        monkeypatch.delenv("MY_SERVICE_TOKEN")

        assert "plain-words-9" not in read(file)
        assert await replay(file, "2+2?", instruction="The word is plain-words-9.") == ["It is 4."]

    async def test_a_word_that_is_a_secret_only_where_it_is_replayed_still_matches(
        self, file: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        await record(file, "Ask postgres for 2+2.", instruction="Use postgres.")
        monkeypatch.setenv("DB_PASSWORD", "postgres")

        assert await replay(file, "Ask postgres for 2+2.", instruction="Use postgres.") == ["It is 4."]
        with pytest.raises(RunFailed, match=r"Use \[redacted\]\[-\.-\]\{\+!\+\}"):
            await replay(file, "Ask postgres for 2+2.", instruction="Use postgres!")

    async def test_a_secret_in_the_state_is_masked(self, file: Path) -> None:
        model = ScriptedModel(script=[text_response("Hi.")])
        await say(build_agent(model), f"record:{file}", "hi", state={"api_key": "hunter-2-secret"})

        assert "hunter-2-secret" not in read(file)


async def test_signatures_of_thoughts_and_images_survive(file: Path) -> None:
    signature, image = bytes(range(256)), b"\x89PNG" + bytes(range(200))
    call = types.FunctionCall(name="add", args={"a": 1, "b": 2}, id="toolu_01AbCdEfGhIjKlMnOpQrSt")
    parts = [
        types.Part(function_call=call, thought_signature=signature),
        types.Part(inline_data=types.Blob(data=image, mime_type="image/png")),
    ]
    first = LlmResponse(content=types.Content(role="model", parts=parts)).model_dump(mode="python", exclude_none=True)
    seen: list[types.Content | None] = []

    def watch(callback_context: Any, llm_response: LlmResponse) -> None:
        seen.append(llm_response.content)

    await record(file, "2+2?", script=[first, text_response("3")], after_model_callback=watch)
    assert await replay(file, "2+2?", after_model_callback=watch) == ["3"]

    for content in (seen[0], seen[2]):
        found = (content.parts if content else None) or []
        assert [part.thought_signature for part in found] == [signature, None]
        assert [part.inline_data.data for part in found if part.inline_data] == [image]
    assert '"call-1"' in read(file)
    assert "toolu_" not in read(file)


async def test_ids_and_the_current_time_may_differ(file: Path) -> None:
    from datetime import UTC, datetime, timedelta
    from uuid import uuid4

    moments = iter([datetime.now(UTC) - timedelta(days=400), datetime.now(UTC)])

    def look_up(tool_context: ToolContext) -> dict[str, Any]:
        """Look up."""
        now = next(moments)
        return {
            "order": str(uuid4()),
            "at": now.isoformat(),
            "seconds": now.timestamp(),
            "call": tool_context.function_call_id,
            "session": tool_context.session.id,
        }

    await record(file, "look", script=[call_response(("look_up", {})), text_response("Done.")], tools=[look_up])

    assert await replay(file, "look", tools=[look_up]) == ["Done."]


async def test_an_id_that_a_tool_made_is_the_one_of_this_session_in_the_answer(file: Path) -> None:
    from uuid import uuid4

    orders: dict[str, str] = {}

    def order(what: str) -> dict[str, str]:
        """Order something."""
        number = str(uuid4())
        orders[number] = what
        return {"order": number}

    def track(number: str) -> str:
        """Track an order."""
        return f"{orders[number]} is on its way"

    model = TrackingModel()
    first = await say(build_agent(model, tools=[order, track]), f"record:{file}", "A cable, please.")
    orders.clear()
    second = await replay(file, "A cable, please.", tools=[order, track])

    (number,) = orders
    assert second == [f"Order {number}: a cable is on its way"]
    assert second != first


class TrackingModel(BaseLlm):
    """A model that orders a cable and tracks it."""

    model: str = "scripted"

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        results = [
            part.function_response.response or {}
            for content in llm_request.contents
            for part in content.parts or ()
            if part.function_response
        ]
        if not results:
            yield LlmResponse.model_validate(call_response(("order", {"what": "a cable"})))
        elif len(results) == 1:
            yield LlmResponse.model_validate(call_response(("track", {"number": results[0]["order"]})))
        else:
            yield LlmResponse(content=_build_content(f"Order {results[0]['order']}: {results[1]['result']}"))


async def test_a_difference_inside_of_a_tool_fails_the_run(file: Path) -> None:
    def build(root: BaseLlm, helper: BaseLlm, **settings: Any) -> LlmAgent:
        return build_agent(root, tools=[AgentTool(build_agent(helper, name="helper", tools=[], **settings))])

    root = ScriptedModel(script=[call_response(("helper", {"request": "one"})), text_response("Done.")])
    await say(build(root, EchoModel()), f"record:{file}", "go")

    with pytest.raises(RunFailed, match=r"agent 'helper' \(user message 1, turn 1 of 'helper'\).*in the instruction"):
        await say(build(NoModel(), NoModel(), instruction="Be brief."), f"replay:{file}", "go")


class TestManySessions:
    async def test_sessions_side_by_side_are_in_one_file(self, file: Path) -> None:
        app = App(
            name="app",
            root_agent=build_agent(EchoModel()),
            plugins=[SimulatorPlugin(player=f"record:{file}")],
        )
        questions = [f"Question {number}?" for number in range(8)]
        runner = InMemoryRunner(app=app)
        await asyncio.gather(*(_run(runner, each, user=each[9]) for each in questions))
        await runner.close()
        parallel = read(file)
        os.remove(file)
        runner = InMemoryRunner(app=app)
        for each in reversed(questions):
            await _run(runner, each, user=each[9])
        await runner.close()

        assert parallel == read(file)
        played = App(name="app", root_agent=build_agent(), plugins=[SimulatorPlugin(player=f"replay:{file}")])
        runner = InMemoryRunner(app=played)
        answers = await asyncio.gather(*(_run(runner, each, user=each[9]) for each in questions))
        await runner.close()
        assert answers == [f"You said {each}" for each in questions]

    async def test_sessions_that_differ_only_in_their_state_are_both_kept(self, file: Path) -> None:
        for name in ("Ada", "Bob"):
            model = ScriptedModel(script=[text_response(f"You are {name}.")])
            agent = build_agent(model, instruction="The user is {name}.")
            await say(agent, f"record:{file}", "Who am I?", state={"name": name})

        for name in ("Bob", "Ada"):
            agent = build_agent(instruction="The user is {name}.")
            assert await say(agent, f"replay:{file}", "Who am I?", state={"name": name}) == [f"You are {name}."]

    async def test_conversations_that_begin_in_the_same_way_are_told_apart(self, file: Path) -> None:
        for name in ("Ada", "Bob"):
            script = [text_response("Who are you?"), text_response(f"Hello {name}.")]
            await record(file, "hi", f"I am {name}", script=script)

        for name in ("Ada", "Bob"):
            assert await replay(file, "hi", f"I am {name}") == ["Who are you?", f"Hello {name}."]


class EchoModel(BaseLlm):
    """A model that repeats the last message, after others had their turn."""

    model: str = "scripted"

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        await asyncio.sleep(0)
        parts = llm_request.contents[-1].parts or []
        yield LlmResponse(content=_build_content(f"You said {parts[0].text}"))


async def test_an_agent_that_is_called_twice_at_once_has_its_own_answers(file: Path) -> None:
    def build(model: Callable[[], BaseLlm]) -> LlmAgent:
        helper = build_agent(model(), name="helper", tools=[])
        root: BaseLlm = NoModel()
        if not isinstance(helper.model, NoModel):
            calls = call_response(("helper", {"request": "one"}), ("helper", {"request": "two"}))
            root = ScriptedModel(script=[calls, text_response("Both.")])
        return build_agent(root, tools=[AgentTool(helper)])

    await say(build(EchoModel), f"record:{file}", "go")
    recorded = read(file)

    assert await say(build(NoModel), f"replay:{file}", "go") == ["Both."]
    assert [turn.get("parent_call_id", "") for turn in list_turns(file)] == ["", "adk-call-1", "adk-call-2", ""]
    assert "You said one" in recorded
    assert "You said two" in recorded


class MeetingModel(BaseLlm):
    """A model that lets the agent `one` answer only after `two` has answered."""

    model: str = "scripted"
    _two_answered: asyncio.Event = PrivateAttr(default_factory=asyncio.Event)

    async def generate_content_async(
        self, llm_request: LlmRequest, stream: bool = False
    ) -> AsyncGenerator[LlmResponse, None]:
        name = (llm_request.config.labels or {})["adk_agent_name"]
        if name == "one":
            await self._two_answered.wait()
        yield LlmResponse(content=_build_content(f"I am {name}."))
        if name == "two":
            self._two_answered.set()


@pytest.mark.filterwarnings("ignore:(Sequential|Parallel)Agent is deprecated:DeprecationWarning")
async def test_parallel_agents_may_answer_in_another_order(file: Path) -> None:
    speakers: list[list[str]] = []
    for model, player in ((MeetingModel(), f"record:{file}"), (NoModel(), f"replay:{file}")):
        one, two, merger = (build_agent(model, name=name, tools=[]) for name in ("one", "two", "merger"))
        both = ParallelAgent(name="both", sub_agents=[one, two])  # pyright: ignore[reportDeprecated]
        root = SequentialAgent(name="root", sub_agents=[both, merger])  # pyright: ignore[reportDeprecated]
        async with Simulation(root, model=player) as sim:
            await sim.send("go")
            speakers.append([event.author for event in sim.events() if event.author != "user"])

    assert speakers[0] == ["two", "one", "merger"]
    assert sorted(speakers[1]) == ["merger", "one", "two"]
    document = json.loads(read(file))
    merged = [document["blocks"][each]["parts"] for each in list_turns(file)[-1]["contents"]]
    assert ["two" in str(parts[-1]) for parts in merged] == [False, True, False]


async def test_probabilities_and_counts_of_tokens_do_not_break_an_answer(file: Path) -> None:
    candidate = types.LogprobsResultCandidate(token="hunter", token_id=123456, log_probability=-0.1)  # noqa: S106
    answer = LlmResponse(
        content=_build_content("Hi."),
        usage_metadata=types.GenerateContentResponseUsageMetadata(prompt_token_count=123456, total_token_count=1234567),
        logprobs_result=types.LogprobsResult(chosen_candidates=[candidate]),
    )
    await record(file, "hi", script=[answer.model_dump(exclude_none=True)])
    usage: list[Any] = []

    def watch(callback_context: Any, llm_response: LlmResponse) -> None:
        usage.append(llm_response.usage_metadata)

    assert await replay(file, "hi", after_model_callback=watch) == ["Hi."]
    assert usage == [answer.usage_metadata]


async def test_a_process_that_is_killed_in_a_tool_has_written_all_turns_before(file: Path) -> None:
    seen: list[str] = []

    def look() -> str:
        """Look."""
        seen.append(read(file))  # what the file has if the process ends here
        return "nothing"

    script = [*SUM, call_response(("look", {})), text_response("Nothing.")]
    await record(file, "2+2?", "look", script=script, tools=[add, look])
    write(file, seen[0])

    assert await replay(file, "2+2?", tools=[add, look]) == ["It is 4."]
    with pytest.raises(RunFailed, match=r"user message 2, turn 2 of 'math'\): the agent calls its model more often"):
        await replay(file, "2+2?", "look", tools=[add, look])


async def test_a_cassette_as_a_recording_shows_which_tools_return_something_else(file: Path) -> None:
    def add(a: int, b: int) -> int:
        """Add."""
        return a + b + 1

    await record(file, "2+2?")
    (recording,) = read_recordings(file)
    app = App(name="app", root_agent=build_agent(tools=[add]))

    (difference,) = (await replay_recording(app, recording)).comparison.differences

    assert recording.name == "math-1"
    assert (difference.what, difference.recorded, difference.found) == (
        "call 1 of add",
        {"result": 4},
        {"result": 5},
    )


async def test_nothing_else_is_overwritten(file: Path) -> None:
    write(file, '{"eval_cases": []}')

    with pytest.raises(ImportRefused, match="cannot be opened as a model cassette"):
        Simulation(build_agent(), model=f"record:{file}")
    assert read(file) == '{"eval_cases": []}'


def test_a_cassette_is_not_called_jsonl(tmp_path: Path) -> None:
    with pytest.raises(ImportRefused, match=r"name it \*\.json"):
        Simulation(build_agent(), model=f"record:{tmp_path / 'a.jsonl'}")


async def test_a_file_grows_with_the_conversation(tmp_path: Path) -> None:
    sizes: list[int] = []
    for count in (20, 40, 80):
        file = tmp_path / f"{count}.json"
        messages = [f"message {number:03}" for number in range(count)]
        await record(file, *messages, script=[text_response("A longer answer. " * 5)])
        sizes.append(file.stat().st_size)

    first, second = sizes[1] - sizes[0], sizes[2] - sizes[1]
    assert 1.9 < second / first < 2.1

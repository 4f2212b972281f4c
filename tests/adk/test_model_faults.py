"""Rules for the model's seat: what a model can do wrong, with a real Runner, and without changing a person's turns."""

from __future__ import annotations

import asyncio
import json
import re
import subprocess
import sys
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest
from google.adk.agents import (
    LlmAgent,
    ParallelAgent,  # pyright: ignore[reportDeprecated] - users still have them
)
from google.adk.apps import App
from google.adk.evaluation.eval_case import IntermediateData
from google.adk.events import Event as AdkEvent
from google.adk.models.llm_request import LlmRequest
from google.adk.models.llm_response import LlmResponse
from google.adk.plugins import BasePlugin
from google.adk.runners import Runner
from google.adk.sessions import InMemorySessionService
from google.adk.tools import AgentTool
from google.genai import errors, types
from pydantic import TypeAdapter
from scripted_agent import build_scripted_agent, collect_events, get_function_responses
from scripted_model import ScriptedModel, call_response, text_response

from adk_agent_sim import EnvironmentSimulationFactory, RunFailed, Simulation
from adk_agent_sim.adk.environment.environment_plugin import EnvironmentSimulationPlugin
from adk_agent_sim.adk.seats.own_model import decide_with_own_model
from adk_agent_sim.adk.steps.steps import ModelTurn
from adk_agent_sim.environment.actions import ActionEntry, AnyAction, ApiError, Empty, Respond, UnknownToolCall
from adk_agent_sim.environment.actions.model_faults import ApiStatus
from adk_agent_sim.environment.recorded_report import build_recorded_report
from adk_agent_sim.environment.report_fold import name_fault
from adk_agent_sim.environment.rules import Rules
from adk_agent_sim.environment.rules_file import parse_rules
from adk_agent_sim.errors import InvalidFault, PluginRequired
from adk_agent_sim.timeline.clock import VirtualSleeper
from adk_agent_sim.timeline.events import EnvironmentDecided, Player, TurnAsked, TurnDecided
from adk_agent_sim.timeline.framework_calls import MODEL_SEAT


def lookup(key: str = "", limit: int = 10) -> dict[str, Any]:
    """Look up."""
    return {"key": key}


def _rule(do: str, match: str = "{call: {first: 1}}", head: str = "") -> str:
    return f"{head}\nrules: [{{name: fault, seat: model, match: {match}, do: {do}}}]"


def _create_plugin(text: str, **settings: Any) -> EnvironmentSimulationPlugin:
    return EnvironmentSimulationFactory.create_plugin(parse_rules(text), **settings)


def _build_shop() -> LlmAgent:
    script = [call_response(("lookup", {"key": "a", "limit": 3})), text_response("It is there, on the shelf.")]
    return LlmAgent(name="shop", model=ScriptedModel(script=script), tools=[lookup])


async def _run(do: str, match: str = "{call: {first: 1}}") -> list[AdkEvent]:
    return await collect_events(_build_shop(), _create_plugin(_rule(do, match)))


def _list_texts(events: list[AdkEvent]) -> list[str]:
    parts = [part for event in events if event.content for part in event.content.parts or ()]
    return [part.text for part in parts if part.text]


@pytest.mark.parametrize(
    ("do", "error", "message"),
    [
        ("{api_error: 429}", errors.ClientError, "429 RESOURCE_EXHAUSTED"),
        ("{api_error: {code: 503, message: busy}}", errors.ServerError, "503 UNAVAILABLE.*busy"),
        ("{raise: TimeoutError}", TimeoutError, "injected by a rule"),
        ("{timeout: 30}", TimeoutError, "did not answer within 30 s"),
    ],
)
async def test_a_model_request_fails_as_it_would_for_real(do: str, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        await _run(do)


async def test_a_plugin_that_handles_model_errors_sees_the_fault() -> None:
    class Handles(BasePlugin):
        async def on_model_error_callback(
            self, *, callback_context: Any, llm_request: LlmRequest, error: Exception
        ) -> LlmResponse:
            content = types.Content(role="model", parts=[types.Part(text=f"handled {type(error).__name__}")])
            return LlmResponse(content=content)

    events = await collect_events(_build_shop(), _create_plugin(_rule("{api_error: 429}")), Handles(name="handles"))

    assert _list_texts(events) == ["handled ClientError"]


async def test_a_delayed_model_answers_as_usual() -> None:
    sleeper = VirtualSleeper()
    plugin = _create_plugin(_rule("{delay: 2}", "{}"), sleeper=sleeper)
    events = await collect_events(_build_shop(), plugin)

    assert _list_texts(events) == ["It is there, on the shelf."]
    assert get_function_responses(events) == [{"key": "a"}]
    assert sleeper.elapsed == 4


async def test_an_empty_answer_has_neither_text_nor_call() -> None:
    events = await _run("empty", "{call: {nth: 1}}")

    assert (_list_texts(events), get_function_responses(events)) == ([], [])


async def test_text_is_cut_and_calls_are_not() -> None:
    assert _list_texts(await _run("{cut_text: 5}", "{}")) == ["It is"]
    assert get_function_responses(await _run("{cut_text: 5}", "{}")) == [{"key": "a"}]


async def test_the_output_limit_ends_an_answer() -> None:
    cut = await _run("{max_tokens: 5}", "{call: {nth: 2}}")
    assert (_list_texts(cut), cut[-1].finish_reason) == (["It is"], types.FinishReason.MAX_TOKENS)

    without_text = await _run("{max_tokens: 5}", "{call: {nth: 1}}")
    assert (without_text[-1].error_code, get_function_responses(without_text)) == ("MAX_TOKENS", [])


async def test_a_malformed_call_is_the_error_that_the_api_gives() -> None:
    events = await _run("malformed_call")

    assert events[-1].error_code == "MALFORMED_FUNCTION_CALL"


@pytest.mark.parametrize(("number", "calls"), [(1, ["searchh", "lookup"]), (2, ["lookup", "searchh"])])
async def test_a_tool_that_does_not_exist_is_called_instead(number: int, calls: list[str]) -> None:
    def answer(request: LlmRequest) -> LlmResponse:
        found = [part.function_response for content in request.contents for part in content.parts or ()]
        names = [response.name for response in found if response]
        done = "lookup" in names
        return LlmResponse.model_validate(text_response("Done.") if done else call_response(("lookup", {})))

    shop = LlmAgent(name="shop", model="m", tools=[lookup])
    rules = parse_rules(_rule("{unknown_tool: searchh}", f"{{call: {{nth: {number}}}}}"))
    async with Simulation(shop, model=answer, environment=rules) as sim:
        await sim.send("go")
        events = sim.events()

    assert [call.name for event in events for call in event.get_function_calls()] == calls
    responses = get_function_responses(events)
    assert "searchh" in str(responses[number - 1])


async def test_arguments_have_wrong_types() -> None:
    events = await _run("wrong_args")

    calls = [call for event in events for call in event.get_function_calls()]
    assert [call.args for call in calls] == [{"key": ["a"], "limit": "3"}]


async def test_an_answer_is_repeated_as_a_new_call() -> None:
    events = await _run("stale", "{call: {nth: 2}}")

    calls = [call for event in events for call in event.get_function_calls()]
    assert [(call.name, call.args) for call in calls] == [("lookup", {"key": "a", "limit": 3})] * 2
    assert calls[0].id != calls[1].id
    assert _list_texts(events) == ["It is there, on the shelf."]


async def test_rules_count_the_model_calls_of_an_agent_and_leave_others_alone() -> None:
    helper = LlmAgent(name="helper", model=ScriptedModel(script=[text_response("Helped.")]))
    shop = LlmAgent(
        name="shop",
        model=ScriptedModel(script=[call_response(("transfer_to_agent", {"agent_name": "helper"}))]),
        sub_agents=[helper],
    )
    plugin = _create_plugin(_rule("{cut_text: 2}", "{agent: helper, call: {nth: 1}}"))

    assert _list_texts(await collect_events(shop, plugin)) == ["He"]


async def test_a_wildcard_for_tools_does_not_mean_the_model() -> None:
    text = 'rules: [{name: all, match: {tool: "*"}, do: {respond: 1}}, {name: cut, seat: model, do: {cut_text: 2}}]'
    plugin = _create_plugin(text)
    events = await collect_events(_build_shop(), plugin)

    assert (_list_texts(events), get_function_responses(events)) == (["It"], [{"result": 1}])
    assert [(each.tool, each.rule, each.fired, each.unchanged) for each in plugin.report().coverage] == [
        (MODEL_SEAT, "cut", 1, 1),
        ("lookup", "all", 1, 0),
    ]
    assert [tool.tool for tool in plugin.report().tools] == ["lookup"]


async def test_a_person_is_never_changed() -> None:
    rules = parse_rules(_rule("{api_error: 429}", "{}"))
    async with Simulation(_build_shop(), environment=rules) as sim:
        turn = await sim.send("go")
        turn = await turn.call("lookup", {"key": "a"})
        await turn.respond("Here.")

        assert not [
            event for event in sim.log() if isinstance(event.payload, EnvironmentDecided) and event.payload.rule
        ]
        assert sim.environment_report.unused == ["fault"]


def _answer_shortly(request: LlmRequest) -> LlmResponse:
    return LlmResponse(content=types.Content(role="model", parts=[types.Part(text="A long answer.")]))


@pytest.mark.parametrize("model", ["real", _answer_shortly])
async def test_the_timeline_says_which_rule_changed_which_turn(model: Any, tmp_path: Path) -> None:
    rules = parse_rules(
        """
        rules:
          - {name: later, seat: model, match: {call: {nth: 9}}, do: empty}
          - {name: short, seat: model, match: {call: {nth: 1}}, do: [{delay: 1}, {max_tokens: 4}]}
        """
    )
    shop = LlmAgent(name="shop", model=ScriptedModel(script=[text_response("A long answer.")]))
    async with Simulation(shop, model=model, environment=rules) as sim:
        await sim.send("go")
        await sim.send("again")

        turns = [
            [event.turn_id for event in sim.log() if isinstance(event.payload, kind)]
            for kind in (EnvironmentDecided, TurnAsked, TurnDecided)
        ]
        assert turns[0] == turns[1] == turns[2]
        marks = [event.payload for event in sim.log() if isinstance(event.payload, EnvironmentDecided)]
        assert [(mark.rule, mark.changed_answer) for mark in marks] == [("short", True), ("", False)]
        assert marks[0].actions == ["delay 1 s", "max_tokens 4"]
        assert marks[0].passed_over[0]["reason"] == "call number"
        decided = [event.payload for event in sim.log() if isinstance(event.payload, TurnDecided)]
        assert decided[0].response["finish_reason"] == "MAX_TOKENS"
        players = [event.player for event in sim.log() if isinstance(event.payload, TurnDecided)]
        assert players[0] is Player.SIMULATED
        rows = await sim.timeline.read_rows(sim.session_id, 0, 100)
        assert [(row.kind.value, row.summary, row.rule) for row in rows if row.rule] == [
            ("note", "short: delay 1 s, max_tokens 4", "short")
        ]
        assert build_recorded_report(sim.log()) == sim.environment_report
        assert [(each.tool, each.rule, each.tried, each.fired) for each in sim.environment_report.coverage] == [
            (MODEL_SEAT, "later", 2, 0),
            (MODEL_SEAT, "short", 2, 1),
        ]


async def test_a_request_that_fails_is_on_the_timeline_and_fails_the_run() -> None:
    async with Simulation(_build_shop(), model="real", environment=parse_rules(_rule("{api_error: 503}"))) as sim:
        with pytest.raises(RunFailed, match="503"):
            await sim.send("go")

        (mark,) = [event.payload for event in sim.log() if isinstance(event.payload, EnvironmentDecided)]
        (decided,) = [event.payload for event in sim.log() if isinstance(event.payload, TurnDecided)]
        assert (mark.rule, mark.changed_answer) == ("fault", True)
        assert decided.response["error_code"] == "ServerError"
        assert build_recorded_report(sim.log()) == sim.environment_report


@pytest.mark.req("000/GoldenTraceBuilder", "001/FR-029", "001/SC-005")
async def test_golden_traces_leave_out_changed_turns_and_what_followed_from_them(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    """The model makes up a tool, is told so, and goes on: the trace is that of the same session without the fault."""

    def answer(request: LlmRequest) -> LlmResponse:
        found = [part.function_response for content in request.contents for part in content.parts or ()]
        done = any(response and response.name == "lookup" for response in found)
        return LlmResponse.model_validate(text_response("Done.") if done else call_response(("lookup", {"key": "a"})))

    async def export(environment: Any, name: str) -> dict[str, Any]:
        shop = LlmAgent(name="shop", model="m", tools=[lookup])
        async with Simulation(shop, model=answer, environment=environment) as sim:
            await sim.send("go")
            if environment is not None:
                assert "search" in str(sim.history())
            case = sim.export(tmp_path / f"{name}.evalset.json")
            (invocation,) = list(case.conversation or [])
            data = invocation.intermediate_data
            assert isinstance(data, IntermediateData)
            assert invocation.final_response is not None
            return {
                "calls": [(call.name, call.args) for call in data.tool_uses],
                "answers": [response.response for response in data.tool_responses],
                "final": [part.text for part in invocation.final_response.parts or ()],
            }

    rules = parse_rules(_rule("{unknown_tool: search}", "{call: {first: 2}}"))
    assert await export(rules, "faulty") == await export(None, "plain")
    assert "2 model turns were left out: rules for the model's seat changed them" in caplog.text


async def test_a_user_turn_whose_answer_was_changed_is_left_out(tmp_path: Path) -> None:
    rules = parse_rules(_rule("{cut_text: 3}"))
    shop = LlmAgent(name="shop", model=ScriptedModel(script=[text_response("A long answer.")]))
    async with Simulation(shop, model="real", environment=rules) as sim:
        await sim.send("go")
        await sim.send("again")
        case = sim.export(tmp_path / "some.evalset.json", finished_only=True)

        assert [invocation.user_content.parts for invocation in case.conversation or ()] == [[types.Part(text="again")]]


async def test_a_rule_that_only_waits_stays_in_a_golden_trace(tmp_path: Path) -> None:
    async with Simulation(_build_shop(), model="real", environment=parse_rules(_rule("{delay: 2}", "{}"))) as sim:
        await sim.send("go")
        case = sim.export(tmp_path / "all.evalset.json")

        (invocation,) = list(case.conversation or [])
        assert isinstance(invocation.intermediate_data, IntermediateData)
        assert len(invocation.intermediate_data.tool_uses) == 1
        players = [event.player for event in sim.log() if isinstance(event.payload, TurnDecided)]
        assert players == [Player.REAL, Player.REAL]


async def test_a_fault_can_be_put_on_the_next_model_call() -> None:
    async with Simulation(
        _build_shop(), model="real", environment=parse_rules(_rule("empty", "{call: {nth: 9}}"))
    ) as sim:
        sim.environment.add_fault(MODEL_SEAT, ApiError(api_error=ApiStatus(code=429)))
        with pytest.raises(RunFailed, match="429"):
            await sim.send("go")
        await sim.send("again")


@pytest.mark.parametrize(
    ("action", "failure", "texts"),
    [
        ({"api_error": 429}, "429", []),
        ({"api_error": {"code": 503, "message": "busy"}}, "503", []),
        ({"raise": "TimeoutError"}, "TimeoutError", []),
        ({"timeout": 30}, "did not answer within 30 s", []),
        ({"delay": 2}, "", ["A long answer."]),
        ({"empty": True}, "", []),
        ({"cut_text": 6}, "", ["A long"]),
        ({"max_tokens": 1}, "", ["A"]),
        ({"malformed_call": True}, "", []),
        ({"stale": True}, "", ["An earlier answer."]),
    ],
    ids=str,
)
async def test_each_fault_can_be_put_on_the_next_model_call_without_any_rule(
    action: dict[str, Any], failure: str, texts: list[str]
) -> None:
    answers = ["An earlier answer.", "A long answer.", "A long answer."]
    shop = LlmAgent(name="shop", model=ScriptedModel(script=[text_response(text) for text in answers]))
    async with Simulation(shop, model="real") as sim:
        await sim.send("before")
        sim.environment.add_model_fault(TypeAdapter[AnyAction](ActionEntry).validate_python(action))
        assert sim.environment.pending_faults == {MODEL_SEAT: 1}
        with pytest.raises(RunFailed, match=failure) if failure else nullcontext():
            await sim.send("go")
        assert _list_texts([event for event in sim.events() if event.author == "shop"])[1:] == texts
        assert sim.environment.pending_faults == {}
        await sim.send("after")
        assert _list_texts(sim.events())[-1] == "A long answer."

        (mark,) = [event.payload for event in sim.log() if isinstance(event.payload, EnvironmentDecided)]
        assert (mark.rule, mark.changed_answer) == (name_fault(MODEL_SEAT), "delay" not in action)
        assert build_recorded_report(sim.log()) == sim.environment_report


async def test_a_fault_is_put_on_the_next_model_call_of_any_runner() -> None:
    plugin = EnvironmentSimulationFactory.create_plugin(Rules(rules=[]))
    sessions = InMemorySessionService()
    runner = Runner(app=App(name="shop", root_agent=_build_shop(), plugins=[plugin]), session_service=sessions)
    session = await sessions.create_session(app_name="shop", user_id="u", session_id="s")
    plugin.get_environment(session).add_model_fault(Empty())
    events = [
        event
        async for event in runner.run_async(
            user_id="u", session_id="s", new_message=types.Content(role="user", parts=[types.Part(text="go")])
        )
    ]
    await runner.close()

    assert (_list_texts(events), get_function_responses(events)) == ([], [])


async def test_a_fault_for_the_model_that_cannot_happen_is_refused() -> None:
    async with Simulation(_build_shop()) as sim:
        with pytest.raises(InvalidFault, match="acts in the tool's seat"):
            sim.environment.add_model_fault(Respond(respond=1))
        with pytest.raises(InvalidFault, match=r"'lookup' is a tool of the agents\. Write a name that none has"):
            sim.environment.add_model_fault(UnknownToolCall(unknown_tool="lookup"))
        sim.environment.add_model_fault(UnknownToolCall(unknown_tool="lookups"))


async def test_a_turn_that_a_person_leaves_to_the_model_is_a_model_call() -> None:
    rules = parse_rules(_rule("[{delay: 3}, {cut_text: 2}]", "{call: {nth: 2}}"))
    script = [text_response("One."), text_response("Two."), text_response("Three.")]
    async with Simulation(LlmAgent(name="shop", model=ScriptedModel(script=script)), environment=rules) as sim:
        run = sim.agent_run
        turn = await sim.send("mine")
        assert isinstance(turn, ModelTurn)
        await turn.respond("By a person.")
        for _ in script:
            turn = await sim.send("yours")
            assert isinstance(turn, ModelTurn)
            await decide_with_own_model(run.recorded_session, turn.turn_id)
            await sim.next()

        assert _list_texts([event for event in sim.events() if event.author == "shop"]) == [
            *("By a person.", "One.", "Tw", "Three.")
        ]
        players = [event.player for event in sim.log() if isinstance(event.payload, TurnDecided)]
        assert players == [Player.HUMAN, Player.REAL, Player.SIMULATED, Player.REAL]
        assert [each.tried for each in sim.environment_report.coverage] == [3], "a person's turn is not counted"
        assert build_recorded_report(sim.log()) == sim.environment_report


async def test_the_time_that_a_model_takes_has_passed_for_the_calls_that_follow() -> None:
    text = """
    rules:
      - {name: slow model, seat: model, match: {call: {nth: 2}}, do: {delay: 5}}
      - {name: outage, match: {tool: lookup, during: {from: 5}}, do: {respond: late}}
    """
    script = [*[call_response(("lookup", {})) for _ in range(3)], text_response("Done.")]
    shop = LlmAgent(name="shop", model=ScriptedModel(script=script), tools=[lookup])
    events = await collect_events(shop, _create_plugin(text))

    assert get_function_responses(events) == [{"key": ""}, {"result": "late"}, {"result": "late"}]


def test_a_callback_refuses_rules_for_the_model() -> None:
    with pytest.raises(PluginRequired, match="acts in the model's seat"):
        EnvironmentSimulationFactory.create_callback(parse_rules(_rule("empty")))


_REPRODUCIBLE = _rule("{cut_text: 1}", "{probability: 0.5}", "seed: 4")


def _build_team() -> Any:
    def build_agent(name: str) -> LlmAgent:
        script = [*[call_response(("lookup", {})) for _ in range(8)], text_response("done")]
        return LlmAgent(name=name, model=ScriptedModel(script=[text_response(name * 3) for _ in script]))

    return ParallelAgent(name="team", sub_agents=[build_agent(name) for name in ("aa", "bb", "cc", "dd")])  # pyright: ignore[reportDeprecated]


async def _play_team() -> list[str]:
    events = await collect_events(_build_team(), _create_plugin(_REPRODUCIBLE), times=6)
    return sorted(f"{event.author}: {text}" for event in events for text in _list_texts([event]))


@pytest.mark.filterwarnings("ignore:ParallelAgent is deprecated")
async def test_agents_that_run_in_parallel_have_chances_of_their_own() -> None:
    first = await _play_team()

    assert await _play_team() == first
    cut = [text for text in first if len(text) == len("aa: a")]
    assert 4 <= len(cut) <= 20  # 12 of 24 expected


@pytest.mark.process
@pytest.mark.filterwarnings("ignore:ParallelAgent is deprecated")
async def test_another_process_draws_the_same() -> None:
    assert await asyncio.to_thread(_play_team_in_another_process) == await _play_team()


def _play_team_in_another_process() -> list[str]:
    code = (
        "import asyncio, json, sys, warnings; warnings.simplefilter('ignore')\n"
        "import test_model_faults as faults\n"
        "print(json.dumps(asyncio.run(faults._play_team())))"
    )
    folder = Path(__file__).parent
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        check=True,
        env={"PYTHONPATH": f"{folder}:{folder.parent}:{':'.join(sys.path)}", "PYTHONHASHSEED": "7"},
    )
    return json.loads(done.stdout.splitlines()[-1])


async def test_an_agent_used_as_a_tool_has_its_own_model_calls() -> None:
    helper = LlmAgent(name="helper", model=ScriptedModel(script=[text_response("A long answer.")]))
    shop = build_scripted_agent([AgentTool(helper)], [("helper", {"request": "x"})])
    plugin = _create_plugin(_rule("{cut_text: 3}", "{agent: helper, call: {nth: 1}}"))

    assert get_function_responses(await collect_events(shop, plugin)) == [{"result": "A l"}]


def test_the_rules_in_the_documentation_are_valid() -> None:
    text = (Path(__file__).parents[2] / "docs" / "environment.md").read_text(encoding="utf-8")
    (rules,) = re.findall(r"```\n(rules:\n.*?seat: model.*?)```", text, flags=re.S)

    assert [rule.seat for rule in parse_rules(rules).rules] == ["model", "model"]

"""EvalSets are converted to scenarios and back; messages, calls and expectations stay the same."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from google.adk.agents import LlmAgent
from google.adk.evaluation.eval_case import EvalCase, IntermediateData, Invocation, InvocationEvent, InvocationEvents
from google.adk.evaluation.eval_set import EvalSet
from google.adk.sessions import Session as AdkSession
from google.genai import types
from scenario_corpus import load_scenarios
from world_builders import build_reply_event, build_world_event
from world_builders import build_world_scenario as small

from adk_agent_sim import Simulation
from adk_agent_sim.adk.evals.case_to_scenario import convert_case_to_scenario, load_golden_trace
from adk_agent_sim.adk.evals.scenario_to_case import convert_scenario_to_case
from adk_agent_sim.errors import ImportRefused, NotConvertible, SessionIncomplete
from adk_agent_sim.golden.eval_set import EvalSetWriter
from adk_agent_sim.golden.eval_set_files import read_eval_cases
from adk_agent_sim.scenario import (
    JsonScenarioExporter,
    JsonScenarioImporter,
    ScenarioImportedFromJson,
    World,
)
from adk_agent_sim.scenario.format.lint import lint

SEND = "Emails__send_email"
ANSWER = "AgentUserInterface__send_message_to_user"
EMPTY = small()
"""A world with only a mailbox."""


def _corpus(name: str) -> ScenarioImportedFromJson:
    return JsonScenarioImporter().import_from_json(json_str=json.dumps(load_scenarios()[name]))[0]


def _write_and_read(scenario: ScenarioImportedFromJson) -> ScenarioImportedFromJson:
    return JsonScenarioImporter().import_from_json(json_str=JsonScenarioExporter().export_to_json(scenario=scenario))[0]


def _content(text: str, role: str = "user") -> types.Content:
    return types.Content(role=role, parts=[types.Part(text=text)])


def _turn(
    *calls: tuple[str, dict[str, Any]], answer: str | None = "Done.", results: tuple[Any, ...] = ()
) -> Invocation:
    uses = [types.FunctionCall(id=f"c{n}", name=name, args=args) for n, (name, args) in enumerate(calls)]
    responses = [
        types.FunctionResponse(id=use.id, name=use.name, response=result)
        for use, result in zip(uses, results, strict=False)
    ]
    return Invocation(
        user_content=_content("Please help."),
        final_response=None if answer is None else _content(answer, "model"),
        intermediate_data=IntermediateData(tool_uses=uses, tool_responses=responses),
    )


def _case(*turns: Invocation) -> EvalCase:
    return EvalCase(eval_id="golden: 1", conversation=list(turns), creation_timestamp=1000.0)


def _mail(**more: Any) -> dict[str, Any]:
    return {"recipients": ["gus@example.org"], "subject": "Lunch"} | more


def _list_expected_calls(scenario: ScenarioImportedFromJson) -> list[tuple[str, list[int]]]:
    """Return what each event calls, and the indexes of the events it depends on."""
    places = {each.event_id: place for place, each in enumerate(scenario.events)}
    return [
        (f"{each.action.app}__{each.action.function}", [places[name] for name in each.dependencies])
        for each in scenario.events
        if each.action
    ]


def _arguments(scenario: ScenarioImportedFromJson, function: str) -> list[dict[str, Any]]:
    """The arguments of the expected calls of a tool, by name, as in the file."""
    actions = [each.action for each in scenario.events if each.action and each.action.function == function]
    return [{arg.name: arg.value for arg in action.args or ()} for action in actions]


def _list_contents(case: EvalCase) -> list[Any]:
    """Return the contents of a case, without ids."""
    found: list[Any] = []
    for each in case.conversation or ():
        assert isinstance(each.intermediate_data, IntermediateData)
        calls = [(call.name, call.args) for call in each.intermediate_data.tool_uses]
        found.append((each.user_content.parts, calls, each.final_response and each.final_response.parts))
    return found


@pytest.mark.req("004/schema-serialization")
@pytest.mark.parametrize("name", [name for name in load_scenarios() if name != "scenario_synth_s05_adapt_multi_turn"])
def test_a_scenario_becomes_a_case_and_again_the_same_scenario(name: str) -> None:
    before = _corpus(name)
    case, _ = convert_scenario_to_case(before)
    found, notes = convert_case_to_scenario(case, base_scenario=before)
    after = _write_and_read(found)
    assert notes == ()
    assert lint(after, checks_are=True) == []
    assert World(after).run_oracle().is_ok
    assert _list_contents(convert_scenario_to_case(after)[0]) == _list_contents(case)


def test_the_expected_actions_of_a_scenario_are_what_its_case_expects() -> None:
    scenario = _corpus("scenario_synth_s04_shopping")
    case, notes = convert_scenario_to_case(scenario)
    assert notes == ()
    (turn,) = case.conversation or []
    assert isinstance(turn.intermediate_data, IntermediateData)
    uses, responses = turn.intermediate_data.tool_uses, turn.intermediate_data.tool_responses
    names = ["add_to_cart", "add_to_cart", "remove_from_cart", "checkout", "cancel_order"]
    assert [call.name for call in uses] == [f"Shopping__{name}" for name in names]
    assert _arguments(scenario, "cancel_order")[0]["order_id"].startswith("{{")
    assert responses[3].response == {"result": (uses[4].args or {})["order_id"]}
    assert case.eval_id == scenario.scenario_id


def test_what_an_evalset_has_no_place_for_is_named() -> None:
    case, notes = convert_scenario_to_case(_corpus("scenario_synth_s05_adapt_multi_turn"))
    assert [note.partition(" ")[0] for note in notes] == ["Emails__reply_to_email_from_user"]
    (turn,) = case.conversation or []
    assert isinstance(turn.intermediate_data, IntermediateData)
    names = [call.name for call in turn.intermediate_data.tool_uses]
    assert names == [SEND, ANSWER, "Calendar__add_calendar_event", "Emails__reply_to_email"]
    found, missed = convert_case_to_scenario(case, base_scenario=_corpus("scenario_synth_s05_adapt_multi_turn"))
    assert "Emails__reply_to_email (" in missed[0]
    assert "does not work in this world: ValueError: Email with id" in missed[0]
    assert not World(found).run_oracle().is_ok


def test_two_messages_of_the_user_without_an_answer_between_are_one() -> None:
    events = (
        build_world_event("u", "USER", delay=0),
        build_world_event("v", "USER", ("u",)),
        build_world_event("a", "AGENT", ("v",)),
    )
    case, notes = convert_scenario_to_case(small(*events))
    (turn,) = case.conversation or []
    assert turn.user_content == _content("Please help.\n\nPlease help.")
    assert turn.final_response is None
    assert [note.partition(":")[0] for note in notes] == ["invocation 1", "invocation 1 has no final response"]


@pytest.mark.parametrize(
    ("events", "why"),
    [
        ((), "it has no user message"),
        (
            (build_reply_event("m"),),
            r"AgentUserInterface__send_message_to_user \(m\) is expected before the first user message",
        ),
        (
            (
                build_world_event("u", "USER", delay=0),
                build_world_event("a", "AGENT", ("u",), "Emails__delete_email", email_id="gone"),
            ),
            r"Emails__delete_email \(a\) fails in its own world: ",
        ),
    ],
    ids=["nobody speaks", "the agent begins", "an oracle that fails"],
)
def test_a_scenario_that_is_no_conversation_is_refused(events: tuple[Any, ...], why: str) -> None:
    with pytest.raises(NotConvertible, match=f"^Scenario 'small' cannot become an EvalSet's case: {why}"):
        convert_scenario_to_case(small(*events))


def test_the_case_is_what_adk_and_the_writer_read(tmp_path: Path) -> None:
    path = tmp_path / "golden.evalset.json"
    writer = EvalSetWriter(path, "small")
    for name in ("scenario_synth_s10_ambiguity", "scenario_synth_s04_shopping"):
        case, _ = convert_scenario_to_case(_corpus(name))
        assert writer.write_eval_case(case) == case
    assert EvalSet.model_validate_json(path.read_text()).eval_cases == read_eval_cases(path)
    assert [len(case.conversation or ()) for case in read_eval_cases(path)] == [2, 1]


@pytest.mark.req("004/ExportedOracleEvent", "004/event-dependencies")
def test_each_turn_waits_for_the_answer_before_it_and_calls_follow_each_other() -> None:
    found, notes = convert_case_to_scenario(
        _case(_turn((SEND, _mail()), (SEND, _mail())), _turn()), base_scenario=EMPTY
    )
    ask = "AgentUserInterface__send_message_to_agent"
    assert notes == ()
    assert _list_expected_calls(found) == [
        (ask, []),
        (SEND, [0]),
        (SEND, [1]),
        (ANSWER, [2]),
        (ask, [3]),
        (ANSWER, [4]),
    ]
    assert found.scenario_id == "golden_1"
    assert (found.start_time, found.duration) == (EMPTY.start_time, EMPTY.duration)


def test_calls_that_were_made_side_by_side_do_not_wait_for_each_other() -> None:
    parts = [types.Part(function_call=types.FunctionCall(name=SEND, args=_mail())) for _ in range(2)]
    step = InvocationEvent(author="agent", content=types.Content(role="model", parts=parts))
    turn = _turn().model_copy(update={"intermediate_data": InvocationEvents(invocation_events=[step])})
    found, _ = convert_case_to_scenario(_case(turn), base_scenario=EMPTY)
    assert _list_expected_calls(found)[1:] == [(SEND, [0]), (SEND, [0]), (ANSWER, [1, 2])]


def test_a_message_to_the_user_that_is_also_the_answer_is_expected_once() -> None:
    turns = [_turn((ANSWER, {"content": "Hi."}), answer=answer) for answer in ("Hi.", None)]
    for turn in turns:
        found, _ = convert_case_to_scenario(_case(turn), base_scenario=EMPTY)
        assert _arguments(found, "send_message_to_user") == [{"content": "Hi."}]


def test_what_a_call_made_is_a_placeholder_where_it_is_used() -> None:
    made = "0a1b2c3d4e5f"
    calls = [(SEND, _mail()), ("Emails__get_email_by_id", {"email_id": made, "folder_name": "SENT"})]
    found, notes = convert_case_to_scenario(_case(_turn(*calls, results=({"result": made},))), base_scenario=EMPTY)
    assert _arguments(found, "get_email_by_id") == [
        {"email_id": f"{{{{{found.events[1].event_id}}}}}", "folder_name": "SENT"}
    ]
    assert notes == ()


def test_failed_calls_and_steps_of_the_framework_are_left_out_by_name() -> None:
    turn = _turn(
        ("transfer_to_agent", {"agent_name": "mail"}),
        ("Emails__delete_email", {"email_id": "gone"}),
        results=({"result": None}, {"error": {"type": "ValueError", "message": "not there"}}),
    )
    found, notes = convert_case_to_scenario(_case(turn), base_scenario=EMPTY)
    assert [name for name, _ in _list_expected_calls(found)][1:] == [ANSWER]
    assert [note.partition(" was omitted")[0] for note in notes] == ["transfer_to_agent", "Emails__delete_email (c1)"]


def test_without_a_world_apps_are_empty_and_that_is_said() -> None:
    found, notes = convert_case_to_scenario(_case(_turn((SEND, _mail()))))
    assert {each.name: each.class_name for each in found.apps}["Emails"] == "EmailClientV2"
    assert lint(_write_and_read(found)) == []
    assert World(found).run_oracle().is_ok
    assert [note.partition(",")[0] for note in notes] == ["Emails: the app is empty"]
    assert found.start_time == 1000.0


@pytest.mark.req("004/ExportedActionArg")
def test_strictness_is_on_the_argument_and_stays_in_the_file() -> None:
    wanted: Any = {f"{SEND}.content": "contains", f"{ANSWER}.content": "any"}
    found, _ = convert_case_to_scenario(
        _case(_turn((SEND, _mail(content="At noon?")))), base_scenario=EMPTY, strictness=wanted
    )
    after = json.loads(JsonScenarioExporter().export_to_json(scenario=_write_and_read(found)))
    args = {
        f"{each['action']['function']}.{arg['name']}": arg.get("strictness")
        for each in after["events"]
        for arg in each["action"]["args"]
    }
    assert {name: how for name, how in args.items() if how} == {
        "send_email.content": "contains",
        "send_message_to_user.content": "any",
    }
    assert lint(_write_and_read(found)) == []
    assert any(
        note.startswith("the strictness of arguments was omitted") for note in convert_scenario_to_case(found)[1]
    )


_IMAGE = types.Content(role="user", parts=[types.Part(inline_data=types.Blob(data=b"x", mime_type="image/png"))])


@pytest.mark.parametrize(
    ("turns", "why"),
    [
        (
            [_turn(("add", {"a": 1}))],
            "turn 1: the tool 'add' is not a tool of an app: a scenario expects calls such as",
        ),
        ([_turn(("Emails__fly", {}))], "turn 1: the tool 'Emails__fly' is not a tool of an app"),
        (
            [_turn(("Cabs__list_rides", {}))],
            "turn 1: the tool 'Cabs__list_rides' is not a tool of an app: .* its apps Age",
        ),
        ([_turn((SEND, {"to": "x"}))], "turn 1: Emails.send_email is invalid: send_email has no argument 'to'"),
        ([_turn(("Emails__send_email_to_user_only", {}))], "turn 1: .* it is not a tool for AGENT events"),
        ([_turn(answer=None), _turn()], "turn 1: it has no final response, so the next turn could never begin"),
        ([_turn((SEND, _mail(content="{{x}}")))], "turn 1: the text '{{x}}' would be read as a placeholder"),
        (
            [_turn().model_copy(update={"user_content": _IMAGE})],
            "turn 1: the user's message has a part that is not text",
        ),
        ([_turn().model_copy(update={"user_content": types.Content()})], "turn 1: the user's message is empty"),
        ([], "it has no conversation"),
    ],
)
def test_what_a_scenario_has_no_place_for_is_refused_by_name(turns: list[Invocation], why: str) -> None:
    with pytest.raises(NotConvertible, match=f"^Case 'golden: 1' cannot become a scenario: {why}") as refused:
        convert_case_to_scenario(_case(*turns), base_scenario=EMPTY)
    assert "\n" not in str(refused.value)


def test_strictness_of_an_argument_that_nobody_gives_is_refused() -> None:
    with pytest.raises(NotConvertible, match=r"'Emails__send_email\.cc', which no expected call has"):
        convert_case_to_scenario(_case(_turn((SEND, _mail()))), base_scenario=EMPTY, strictness={f"{SEND}.cc": "any"})


async def test_a_session_that_was_played_in_a_world_is_expected_in_it(tmp_path: Path) -> None:
    start = small()
    world = World(start)

    def Emails__send_email(recipients: list[str], subject: str, content: str) -> str:  # noqa: N802
        return world.call("Emails", "send_email", {"recipients": recipients, "subject": subject, "content": content})

    def Emails__delete_email(email_id: str, folder_name: str) -> str:  # noqa: N802
        return world.call("Emails", "delete_email", {"email_id": email_id, "folder_name": folder_name})

    agent = LlmAgent(name="mail_agent", model="none", tools=[Emails__send_email, Emails__delete_email])
    path = tmp_path / "golden.evalset.json"
    async with Simulation(agent) as sim:
        turn = await sim.send("Ask Gus for lunch.")
        turn = await turn.call(SEND, _mail(content="Lunch?"))
        await turn.respond("Asked.")
        made = world.state()["Emails"]["folders"]["SENT"]["emails"][0]["email_id"]
        turn = await sim.send("Forget it.")
        turn = await turn.call("Emails__delete_email", {"email_id": made, "folder_name": "SENT"})
        await turn.respond("Deleted.")
        sim.export(path)
        await sim.export_jsonl(tmp_path / "played.jsonl")
        saved = AdkSession(id="s1", app_name="mail", user_id="user", events=sim.events())
        (tmp_path / "saved.json").write_text(saved.model_dump_json(by_alias=True, exclude_none=True))
    (case,) = read_eval_cases(path)
    for name in ("golden.evalset.json", "played.jsonl", "saved.json"):
        assert _list_contents(load_golden_trace(tmp_path / name)) == _list_contents(case)
    found, notes = convert_case_to_scenario(case, base_scenario=start)
    after = _write_and_read(found)
    assert notes == ()
    assert lint(after, checks_are=True) == []
    assert _arguments(after, "delete_email")[0]["email_id"].startswith("{{")
    assert _list_contents(convert_scenario_to_case(after)[0]) == _list_contents(case)


def test_what_is_no_golden_trace_or_half_a_one_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "any.json"
    for text in ("[]", "{", "[" * 100_000, json.dumps(load_scenarios()["scenario_synth_s01_search"])):
        path.write_text(text)
        with pytest.raises(ImportRefused, match="it is neither an EvalSet, nor a session file of ADK, nor a timeline"):
            load_golden_trace(path)
    path.write_text(json.dumps({"id": "s", "appName": "a", "userId": "u", "events": []}))
    with pytest.raises(SessionIncomplete, match="it has no user query"):
        load_golden_trace(path)
    with pytest.raises(ImportRefused, match="it holds a single session; omit --case"):
        load_golden_trace(path, "x")

import json
import os
from pathlib import Path
from typing import Any

import fork_server
import pytest
from golden.test_adk_eval import Play, play_math, play_shop
from golden.test_session import config
from google.adk.apps import App
from google.adk.evaluation.eval_case import EvalCase, IntermediateData, Invocation, InvocationEvent, InvocationEvents
from google.adk.evaluation.eval_case import get_all_tool_calls as calls_of
from google.adk.evaluation.eval_case import get_all_tool_responses as responses_of
from google.adk.evaluation.evaluation_generator import EvaluationGenerator
from google.adk.sessions import Session as AdkSession
from google.genai import types
from hypothesis import given
from hypothesis import strategies as st
from scripted_model import call_response, text_response

from adk_agent_sim import Simulation
from adk_agent_sim.adk.demo.math_agent.agent import app as math_app
from adk_agent_sim.adk.demo.shop_agent.agent import app as shop_app
from adk_agent_sim.errors import ImportRefused, SessionIncomplete
from adk_agent_sim.golden.golden_trace_builder import GoldenTraceBuilder
from adk_agent_sim.golden.importers import convert_eval_case_to_events, import_adk_session, import_eval_case
from adk_agent_sim.golden.session import SimulationSession
from adk_agent_sim.timeline.events import Closed, Event
from adk_agent_sim.timeline.history import HistoryEntry, SessionState, ToolError, ToolOutput, build_history

_DEMOS = pytest.mark.parametrize(
    ("app", "play"), [(math_app, play_math), (shop_app, play_shop)], ids=["math_agent", "shop_agent"]
)


def _drop_lost_fields(entries: list[HistoryEntry]) -> list[dict[str, Any]]:
    """Return a history without what a file does not contain: times, durations, and results before ADK wraps them."""
    lost = {"timestamp", "duration_ms", "traceback", "result", "agent_name"}
    return [entry.model_dump(exclude=lost) for entry in entries]


def _export(events: list[Event]) -> EvalCase:
    return GoldenTraceBuilder(SimulationSession.from_events(config(), events[0].session_id, events)).build()


def _conversation(case: EvalCase) -> list[dict[str, Any]]:
    return [
        invocation.model_dump(mode="json", exclude={"invocation_id"}, exclude_none=True)
        for invocation in case.conversation or ()
    ]


@_DEMOS
async def test_an_exported_case_is_imported_as_the_same_conversation(tmp_path: Path, app: App, play: Play) -> None:
    async with Simulation(app, state={"customer": "Ada"}) as sim:
        await play(sim)
        case = sim.export(tmp_path / "played.evalset.json")
        before = sim.history()

    events = import_eval_case(tmp_path / "played.evalset.json")

    def by_kind(entry: dict[str, Any]) -> str:
        return entry["type"]  # the file has calls and responses in two lists, so their interleaving is lost

    assert sorted(_drop_lost_fields(build_history(events)), key=by_kind) == sorted(
        _drop_lost_fields(before), key=by_kind
    )
    again = _export(events)
    assert _conversation(again) == _conversation(case)
    assert (again.session_input, again.final_session_state) == (case.session_input, case.final_session_state)
    assert again.creation_timestamp == case.creation_timestamp


@_DEMOS
async def test_a_case_with_invocation_events_is_imported_as_the_same_conversation(app: App, play: Play) -> None:
    async with Simulation(app) as sim:
        await play(sim)
        invocations = EvaluationGenerator.convert_events_to_eval_invocations(sim.events())
        played = GoldenTraceBuilder(sim.session()).build()
        before = sim.history()

    events = convert_eval_case_to_events(EvalCase(eval_id="web", conversation=invocations))

    assert isinstance(invocations[0].intermediate_data, InvocationEvents)
    assert _drop_lost_fields(build_history(events)) == _drop_lost_fields(before)
    for again, original in zip(_conversation(_export(events)), _conversation(played), strict=True):
        for part in ("user_content", "intermediate_data", "final_response"):
            assert again[part] == original[part]


@pytest.mark.req("001/FR-029")
@_DEMOS
async def test_a_case_has_the_invocations_that_adks_own_converter_makes(app: App, play: Play) -> None:
    async with Simulation(app) as sim:
        await play(sim)
        expected = EvaluationGenerator.convert_events_to_eval_invocations(sim.events())
        played = GoldenTraceBuilder(sim.session()).build().conversation or []

    assert len(played) == len(expected)
    for invocation, other in zip(played, expected, strict=True):
        assert invocation.user_content == other.user_content
        assert invocation.final_response == other.final_response
        assert calls_of(invocation.intermediate_data) == calls_of(other.intermediate_data)
        assert responses_of(invocation.intermediate_data) == responses_of(other.intermediate_data)
        if isinstance(invocation.intermediate_data, InvocationEvents):
            assert invocation.intermediate_data == other.intermediate_data
    flat, with_authors = IntermediateData, InvocationEvents
    # The shop's second turn is transferred to another agent.
    kinds = [flat, flat] if app is math_app else [flat, with_authors]
    assert [type(each.intermediate_data) for each in played] == kinds


@pytest.mark.req("001/FR-029")
async def test_what_an_agent_says_before_a_call_is_in_the_case_with_its_author() -> None:
    said = types.Part(text="Let me add them.")
    called = types.Part(function_call=types.FunctionCall(name="add", args={"a": 2, "b": 2}))
    async with Simulation(math_app) as sim:
        turn = await sim.send("What is 2+2?")
        turn = await turn.decide(types.Content(role="model", parts=[said, called]))
        await turn.respond("4")
        [invocation] = GoldenTraceBuilder(sim.session()).build().conversation or []

    data = invocation.intermediate_data
    assert isinstance(data, InvocationEvents)
    texts = [
        (each.author, each.content.parts[0].text)
        for each in data.invocation_events
        if each.content and each.content.parts
    ]
    assert texts[0] == ("math_agent", "Let me add them.")
    assert [call.name for call in calls_of(data)] == ["add"]


_AGENT = """\
import json, pathlib
from scripted_model import ScriptedModel, replace_model
from adk_agent_sim.adk.demo.shop_agent.agent import app as demo
script = json.loads(pathlib.Path(__file__).with_name("script.json").read_text())
app = replace_model(demo, ScriptedModel(script=script))
root_agent = app.root_agent
"""


@pytest.mark.process
def test_a_session_that_adk_run_saved_is_imported(tmp_path: Path) -> None:
    agent = tmp_path / "shop_agent"
    agent.mkdir()
    (agent / "__init__.py").write_text("from . import agent\n")
    (agent / "agent.py").write_text(_AGENT)
    script = [
        call_response(("get_order", {"order_id": "ORD-9"})),
        text_response("There is none."),
        text_response("Bye."),
    ]
    (agent / "script.json").write_text(json.dumps(script))
    done = fork_server.run(
        ["-m", "google.adk.cli", "run", "--save_session", "--session_id", "kept", str(agent)],
        text_input="Where is ORD-9?\nBye\nexit\n",
        cwd=tmp_path,
        environment={**os.environ, "PYTHONPATH": str(Path(__file__).parents[1])},
    )
    assert done.returncode == 0, done.stderr

    events = import_adk_session(agent / "kept.session.json")

    entries = [(entry.type, getattr(entry, "content", "")) for entry in build_history(events)]
    assert entries == [
        ("user_query", "Where is ORD-9?"),
        ("tool_call", ""),
        ("tool_error", ""),
        ("final_response", "There is none."),
        ("user_query", "Bye"),
        ("final_response", "Bye."),
    ]
    assert len(_export(events).conversation or ()) == 2


@_DEMOS
async def test_a_session_file_is_imported_as_the_same_conversation(tmp_path: Path, app: App, play: Play) -> None:
    path = tmp_path / "web.session.json"
    async with Simulation(app, state={"customer": "Ada"}) as sim:
        await play(sim)
        state = dict(await sim.state())
        saved = AdkSession(id="s1", app_name=app.name, user_id="user", state=state, events=sim.events())
        path.write_text(saved.model_dump_json(indent=2, exclude_none=True, by_alias=True))
        before = sim.session()

    session = SimulationSession.from_events(config(), "s1", import_adk_session(path))

    assert _drop_lost_fields(session.history) == _drop_lost_fields(before.history)
    assert (session.state, session.failure) == (SessionState.COMPLETED, "")
    assert (session.initial_state, session.final_state) == (before.initial_state, before.final_state)


def _text(role: str, text: str) -> types.Content:
    return types.Content(role=role, parts=[types.Part(text=text)])


_WORD = st.text("abcäß`|<", min_size=1, max_size=5)
_ARGS = st.dictionaries(_WORD, st.integers() | _WORD | st.lists(st.none() | st.booleans(), max_size=2), max_size=2)


@st.composite
def _steps(draw: st.DrawFn) -> tuple[list[types.FunctionCall], list[types.FunctionResponse]]:
    """Draw calls, with ids or without, and responses of some of them in any unambiguous order."""
    with_ids = draw(st.booleans())
    names = draw(st.lists(st.sampled_from(["add", "mul"]), max_size=4))
    made = [
        types.FunctionCall(id=f"c{place}" if with_ids else None, name=name, args=draw(_ARGS))
        for place, name in enumerate(names)
    ]
    answered = [types.FunctionResponse(id=call.id, name=call.name, response=draw(_ARGS)) for call in made]
    return made, draw(st.permutations(answered)) if with_ids else answered


@st.composite
def _invocations(draw: st.DrawFn) -> Invocation:
    made, answered = draw(_steps())
    if draw(st.booleans()):
        data: IntermediateData | InvocationEvents = IntermediateData(tool_uses=made, tool_responses=answered)
    else:
        said = [types.Content(role="model", parts=[types.Part(function_call=call)]) for call in made]
        said += [types.Content(role="user", parts=[types.Part(function_response=answer)]) for answer in answered]
        data = InvocationEvents(invocation_events=[InvocationEvent(author="a", content=content) for content in said])
    return Invocation(
        user_content=_text("user", draw(_WORD)), final_response=_text("model", draw(_WORD)), intermediate_data=data
    )


@given(conversation=st.lists(_invocations(), min_size=1, max_size=3))
def test_any_case_is_exported_again_as_the_same_conversation(conversation: list[Invocation]) -> None:
    again = _export(convert_eval_case_to_events(EvalCase(eval_id="any", conversation=conversation))).conversation or []

    assert [(one.user_content, one.final_response) for one in again] == [
        (one.user_content, one.final_response) for one in conversation
    ]
    for one, other in zip(again, conversation, strict=True):
        assert _list_calls_and_responses(one) == _list_calls_and_responses(other)
    ids = [call.id for one in again for call in calls_of(one.intermediate_data)]
    assert len(ids) == len(set(ids))


def _list_calls_and_responses(invocation: Invocation) -> tuple[list[Any], list[Any]]:
    """Return the calls, and the responses with the index of their call, or its name if there are no ids."""
    made, answered = calls_of(invocation.intermediate_data), responses_of(invocation.intermediate_data)
    places = {call.id: place for place, call in enumerate(made)}
    order = (
        [places[answer.id] for answer in answered]
        if all(call.id for call in made)
        else [place for place, _ in enumerate(answered)]
    )
    return (
        [(call.name, call.args) for call in made],
        [(answer.name, answer.response, place) for answer, place in zip(answered, order, strict=True)],
    )


def test_a_timeline_from_a_file_is_closed() -> None:
    case = EvalCase(eval_id="c", conversation=[Invocation(user_content=_text("user", "hi"))])

    events = convert_eval_case_to_events(case)

    assert isinstance(events[-1].payload, Closed)
    assert [event.seq for event in events] == list(range(1, len(events) + 1))
    with pytest.raises(SessionIncomplete, match="'hi' has no final response"):
        _export(events)


def test_the_answer_of_a_tool_that_failed_is_an_error_again() -> None:
    data = IntermediateData(
        tool_uses=[types.FunctionCall(id="1", name="add"), types.FunctionCall(id="2", name="add")],
        tool_responses=[
            types.FunctionResponse(id="1", name="add", response={"error": {"type": "E", "message": "m"}}),
            types.FunctionResponse(id="2", name="add", response={"error": "other"}),
        ],
    )
    invocation = Invocation(user_content=_text("user", "hi"), intermediate_data=data)

    found = build_history(convert_eval_case_to_events(EvalCase(eval_id="c", conversation=[invocation])))

    assert [type(entry) for entry in found if isinstance(entry, ToolError | ToolOutput)] == [ToolError, ToolOutput]


def _eval_set(*cases: dict[str, Any]) -> str:
    return json.dumps({"eval_set_id": "s", "eval_cases": cases})


_USER = {"role": "user", "parts": [{"text": "hi"}]}
_ORPHAN: dict[str, Any] = {"tool_responses": [{"name": "add", "id": "7", "response": {}}]}


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("", "it is not JSON: Expecting value"),
        ("[]", "Input should be an object"),
        ('{"events": []}', "eval_set_id: Field required"),
        (_eval_set(), "specify a case; its cases are: none"),
        (
            _eval_set({"eval_id": "a", "conversation": []}, {"eval_id": "b", "conversation": []}),
            "its cases are: a, b",
        ),
        (_eval_set({"eval_id": "a"}), "Exactly one of conversation and conversation_scenario"),
        (
            _eval_set({"eval_id": "a", "conversation_scenario": {"starting_prompt": "x", "conversation_plan": "y"}}),
            "case 'a': it contains a scenario for a user simulator instead of a conversation",
        ),
        (
            _eval_set({"eval_id": "a", "conversation": [{"user_content": {"parts": []}}]}),
            "case 'a': invocation 1 has no user message",
        ),
        (
            _eval_set({"eval_id": "a", "conversation": [{"user_content": _USER, "intermediate_data": _ORPHAN}]}),
            "case 'a': the response of 'add' (7) does not belong to a call",
        ),
        (
            _eval_set(
                {
                    "eval_id": "a",
                    "conversation": [{"user_content": _USER, "intermediate_data": {"tool_uses": [{"args": {}}]}}],
                }
            ),
            "case 'a': a tool call has no name",
        ),
    ],
)
def test_a_bad_eval_set_is_refused_with_its_name_and_what_is_wrong(tmp_path: Path, content: str, why: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(content)

    with pytest.raises(ImportRefused) as refused:
        import_eval_case(path)
    assert str(refused.value).startswith(f"{path} cannot be opened as an EvalSet: ")
    assert why in refused.value.reason


def test_a_missing_case_is_refused(tmp_path: Path) -> None:
    (tmp_path / "set.json").write_text(_eval_set({"eval_id": "a", "conversation": []}))

    with pytest.raises(ImportRefused, match="it has no case 'b'; its cases are: a"):
        import_eval_case(tmp_path / "set.json", "b")


@pytest.mark.parametrize(
    ("content", "why"),
    [("{", "it is not JSON"), ('{"eval_cases": []}', "id: Field required"), ("\xff", "it is not JSON")],
)
def test_a_bad_session_file_is_refused(tmp_path: Path, content: str, why: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(content)

    with pytest.raises(ImportRefused, match=rf"bad\.json cannot be opened as an ADK session: .*{why}"):
        import_adk_session(path)


def test_a_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ImportRefused, match="No such file"):
        import_adk_session(tmp_path / "none.json")

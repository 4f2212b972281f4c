"""All kinds of agents in a world: their own tools, sub-agents, workflows, plugins, rules and players."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.plugins import BasePlugin
from google.adk.tools import AgentTool
from google.adk.workflow import Workflow
from jsonschema import Draft202012Validator
from pydantic import BaseModel
from scenario_corpus import load_scenarios
from scripted_model import ScriptedModel, call_response, text_response
from world_runs import (
    SEND_A,
    SEND_B,
    TELL_USER,
    build_mail_arrival,
    build_two_turns,
    create_run,
    create_scripted_agent,
    get_model,
)

from adk_agent_sim.adk.compat import get_declaration
from adk_agent_sim.adk.worlds.other_model import OtherModel, create_model, join_model_name
from adk_agent_sim.adk.worlds.run_options import ThinkingTime, WorldRunOptions
from adk_agent_sim.adk.worlds.run_plan import WorldRunPlan, create_default_agent, prepare_run
from adk_agent_sim.errors import InvalidRunOption, InvalidScript, ModelUnavailable
from adk_agent_sim.scenario import JsonScenarioImporter
from adk_agent_sim.scenario.format.augmentation_options import AugmentationOptions
from adk_agent_sim.timeline.events import EnvironmentDecided
from adk_agent_sim.timeline.world_events import NotificationDelivered

PERFECT = (call_response(SEND_A), text_response("Sent one."), call_response(SEND_B), text_response("Sent two."))


def test_the_worlds_tools_have_the_names_and_valid_schemas_of_the_format() -> None:
    file = next(iter(load_scenarios().values()))
    scenario, _, _ = JsonScenarioImporter().import_from_json(json_str=json.dumps(file))
    tools = create_run(create_default_agent(), scenario).session.tools
    assert {"Emails__send_email", "Chats__send_message", "RentAFlat__list_all_apartments", TELL_USER} <= set(tools)
    for name, tool in tools.items():
        declaration = get_declaration(tool)
        assert declaration is not None
        assert (declaration.name, bool(declaration.description)) == (name, True)
        schema: Any = declaration.parameters_json_schema
        Draft202012Validator.check_schema(schema)
        assert schema["type"] == "object"


@pytest.mark.req("004/hint-task", "004/hint-environment")
async def test_a_model_gets_no_hints() -> None:
    hints = [
        {"hint_type": kind, "content": f"a {kind}", "associated_event_id": ""}
        for kind in ("TASK_HINT", "ENVIRONMENT_HINT")
    ]
    agent = create_scripted_agent(*PERFECT)
    run = create_run(agent, build_two_turns(hints=hints))
    assert (await run.run()).passed
    assert [each.hint_type for each in run.world.hints()] == ["TASK_HINT", "ENVIRONMENT_HINT"]
    assert len(get_model(agent).requests) == len(PERFECT)
    assert "_HINT" not in str(get_model(agent).requests)


async def test_an_agents_own_tools_work_beside_the_worlds() -> None:
    looked_up: list[str] = []

    def look_up(word: str) -> str:
        """Look up a word."""
        looked_up.append(word)
        return "found"

    agent = create_scripted_agent(call_response(("look_up", {"word": "x"}), SEND_A), *PERFECT[1:], tools=[look_up])
    result = await create_run(agent, build_two_turns()).run()
    assert (result.passed, looked_up, result.call_count) == (True, ["x"], 2)


async def test_a_tool_of_the_agent_with_a_name_of_the_world_is_an_error() -> None:
    def send(recipients: list[str]) -> str:
        """Send."""
        return ""

    send.__name__ = "Emails__send_email"
    result = await create_run(create_scripted_agent(*PERFECT, tools=[send]), build_two_turns()).run()
    assert result.metadata.exception_type == "WorldToolConflict"
    assert "Rename the agent's tool" in (result.metadata.exception_message or "")


async def test_a_sub_agent_acts_in_the_same_world() -> None:
    model = ScriptedModel(script=[call_response(("transfer_to_agent", {"agent_name": "mailer"})), *PERFECT])
    mailer = LlmAgent(name="mailer", model=model, description="Sends mails.")
    root = LlmAgent(name="assistant", model=model, sub_agents=[mailer])
    result = await create_run(root, build_two_turns()).run()
    assert result.passed, result.reason


async def test_an_agent_that_is_used_as_a_tool_acts_in_the_same_world() -> None:
    helper = create_scripted_agent(call_response(SEND_A), text_response("Sent."))
    helper.name = "helper"
    root = create_scripted_agent(
        call_response(("helper", {"request": "Send it."})),
        *PERFECT[1:],
        tools=[AgentTool(agent=helper)],
    )
    run = create_run(root, build_two_turns())
    result = await run.run()
    assert result.passed, result.reason


async def test_a_workflow_acts_in_the_world() -> None:
    writer = LlmAgent(name="writer", model=ScriptedModel(script=[call_response(SEND_A), text_response("Written.")]))
    speaker = LlmAgent(name="speaker", model=ScriptedModel(script=[text_response("Sent one.")]))
    flow = Workflow(name="flow", edges=[("START", writer), (writer, speaker)])
    run = create_run(flow, build_two_turns(), WorldRunOptions(max_steps=3))
    result = await run.run()
    assert result.verdict is not None
    assert result.verdict.turns[0].status == "passed", str(result.verdict)


async def test_an_app_keeps_its_plugins() -> None:
    class _Counter(BasePlugin):
        def __init__(self) -> None:
            super().__init__(name="counter")
            self.tools: list[str] = []

        async def after_tool_callback(self, *, tool: Any, **_: Any) -> None:
            self.tools.append(tool.name)

    counter = _Counter()
    app = App(name="office", root_agent=create_scripted_agent(*PERFECT), plugins=[counter])
    result = await create_run(app, build_two_turns()).run()
    assert (result.passed, result.metadata.agent_id) == (True, "office")
    assert counter.tools == ["Emails__send_email"] * 2


async def test_an_agent_that_only_formats_its_answer_gets_no_tools_and_others_can_be_left_out() -> None:
    class _Answer(BaseModel):
        text: str

    formats = create_scripted_agent(text_response('{"text": "x"}'), output_schema=_Answer)
    await create_run(formats, build_two_turns()).run()
    left_out = create_scripted_agent(text_response("Done."))
    await create_run(left_out, build_two_turns(), WorldRunOptions(agents=frozenset({"somebody"}))).run()
    for agent in (formats, left_out):
        assert not get_model(agent).requests[0].tools_dict


def test_world_tools_for_agents_that_do_not_exist_are_refused() -> None:
    helper = LlmAgent(name="helper", model=ScriptedModel(script=[]))
    inner = LlmAgent(name="inner", model=ScriptedModel(script=[]))
    app = App(name="office", root_agent=LlmAgent(name="root", tools=[AgentTool(inner)], sub_agents=[helper]))
    with pytest.raises(InvalidRunOption, match="'nobody' cannot be used: no agent has that name, only root, helper"):
        prepare_run(WorldRunPlan(options=WorldRunOptions(agents=frozenset({"nobody"}))), build_two_turns(), app=app)
    for name in ("root", "helper", "inner"):
        # The other name may be one of another agent of a bench.
        plan = WorldRunPlan(options=WorldRunOptions(agents=frozenset({"nobody", name})))
        assert prepare_run(plan, build_two_turns(), app=app).options.agents == {"nobody", name}


async def test_rules_apply_on_top_and_their_delays_pass_in_the_world(tmp_path: Path) -> None:
    rules = tmp_path / "rules.yaml"
    rules.write_text(
        "rules:\n"
        "  - name: slow\n    match: {tool: Emails__send_email, during: {to: 5}}\n    do: [{delay: 30}]\n"
        "  - name: broken\n    match: {tool: Emails__send_email}\n    do: [{raise: {type: TimeoutError}}]\n",
        encoding="utf-8",
    )
    plan = WorldRunPlan(rules=str(rules), options=WorldRunOptions(thinking=ThinkingTime(kind="zero")))
    app = App(name="office", root_agent=create_scripted_agent(*PERFECT))
    run = prepare_run(plan, build_two_turns(), app=app)
    result = await run.run()
    assert result.passed is False
    sent = [each for each in run.world.event_log() if each.function == "send_email"]
    assert [each.time - 1000 for each in sent] == [30]
    log = await run.timeline.read_events(run.agent_run.recorded_session.session_id)  # type: ignore[union-attr]
    assert [each.payload.rule for each in log if isinstance(each.payload, EnvironmentDecided)] == ["slow", "broken"]


async def test_another_model_answers_for_all_agents() -> None:
    agent = create_scripted_agent(text_response("Not asked."))
    other = ScriptedModel(model="other", script=list(PERFECT))
    assert (await create_run(agent, build_two_turns(), player=OtherModel(other)).run()).passed
    assert (get_model(agent).requests, {each.model for each in other.requests}) == ([], {"other"})


def test_a_model_that_adk_does_not_know_is_reported_with_what_to_install() -> None:
    assert join_model_name("openai", "gpt-4o") == "openai/gpt-4o"
    with pytest.raises(ModelUnavailable, match=r"The model 'no-such-model' cannot be used: .*google-adk\[extensions\]"):
        create_model("no-such-model")
    with pytest.raises(InvalidRunOption, match="the player 'oracle' does not ask any model"):
        prepare_run(WorldRunPlan(player="oracle", model="gemini-2.5-flash"), build_two_turns())


async def test_a_script_plays_the_model(tmp_path: Path) -> None:
    script = tmp_path / "script.yaml"
    script.write_text(
        "steps:\n"
        "  - {call: Emails__send_email, args: {recipients: [a@example.org], subject: one}}\n"
        "  - {respond: Sent one.}\n"
        "  - {call: Emails__send_email, args: {recipients: [a@example.org], subject: two}}\n"
        "  - {respond: Sent two.}\n",
        encoding="utf-8",
    )
    result = await prepare_run(WorldRunPlan(player=f"script:{script}"), build_two_turns()).run()
    assert (result.passed, result.metadata.player) == (True, f"script:{script}")


@pytest.mark.parametrize(
    "step", ["approve: null", "deny: true", "tool: add, returns: 4", "answer: {city: Rome}", "sign_in: true"]
)
def test_a_script_of_the_model_decides_nothing_else(tmp_path: Path, step: str) -> None:
    script = tmp_path / "script.yaml"
    script.write_text(f"steps: [{{user: Hi}}, {{{step}}}]", encoding="utf-8")
    title, _, _ = step.partition(":")
    with pytest.raises(InvalidScript, match=rf"step 2: `{title}.*` is not a decision of the model, .* Remove the step"):
        prepare_run(WorldRunPlan(player=f"script:{script}"), build_two_turns())


@pytest.mark.parametrize(("player", "passed"), [("oracle", True), ("nothing", False), ("random", False)])
async def test_players_of_worlds_play_the_model(player: str, passed: bool) -> None:
    result = await prepare_run(WorldRunPlan(player=player), build_mail_arrival()).run()
    assert result.passed is passed


async def test_noise_renames_tools_and_is_in_the_metadata() -> None:
    disturbed = AugmentationOptions(tool_failure_probability=1.0, rename_tools=True)
    run = prepare_run(WorldRunPlan(player="oracle", options=WorldRunOptions(augmentation=disturbed)), build_two_turns())
    result = await run.run()
    assert result.passed is False
    assert result.metadata.augmentations == disturbed.to_runner_config()
    assert "Emails__send_email" not in run.session.tools


async def test_a_final_text_reaches_the_user_even_if_all_calls_fail() -> None:
    tell = call_response((TELL_USER, {"content": "Sent."}))
    agent = create_scripted_agent(call_response(SEND_A), tell, text_response("It failed."))
    options = WorldRunOptions(augmentation=AugmentationOptions(tool_failure_probability=1.0))
    run = create_run(agent, build_two_turns(), options)
    result = await run.run()
    assert run.failure is None
    assert (result.passed, result.metadata.has_exception) == (False, False)
    told = [each.arguments for each in run.world.event_log() if each.function == "send_message_to_user"]
    assert told == [{"content": "It failed."}]
    assert [each for each in run.world.event_log() if each.app == "Emails"] == []


async def test_agents_that_think_at_the_same_time_think_in_the_same_time() -> None:
    first = LlmAgent(name="first", model=ScriptedModel(script=[call_response(SEND_A), text_response("A.")]))
    second = LlmAgent(name="second", model=ScriptedModel(script=[call_response(SEND_B), text_response("B.")]))
    flow = Workflow(name="flow", edges=[("START", first), ("START", second)])
    run = create_run(flow, build_two_turns(), WorldRunOptions(max_steps=4))
    result = await run.run()
    assert result.step_count == 4
    sent = [(each.arguments["subject"], each.time - 1000) for each in run.world.event_log() if each.app == "Emails"]
    assert sorted(sent) == [("one", 1), ("two", 1)]


async def test_an_agent_with_a_history_of_its_own_sees_the_notifications_too() -> None:
    waiting = ScriptedModel(
        script=[
            call_response(("SystemApp__wait_for_notification", {"timeout": 60})),
            call_response(SEND_A),
            text_response("Done."),
        ]
    )
    helper = LlmAgent(name="helper", model=waiting, mode="single_turn", description="Waits and sends.")
    root = LlmAgent(
        name="assistant",
        model=ScriptedModel(script=[call_response(("helper", {"request": "Wait and send."})), text_response("Sent.")]),
        sub_agents=[helper],
    )
    result = await create_run(root, build_mail_arrival()).run()
    assert result.passed, result.reason
    texts = [
        [part.text for content in request.contents for part in content.parts or [] if part.text]
        for request in waiting.requests
    ]
    arrived = "[1970-01-01 00:16:50] Notification: EmailClientV2: New email received from a@example.com"
    assert [arrived in each for each in texts] == [False, True, True]


async def test_notifications_reach_an_agent_that_is_used_as_a_tool_and_then_the_one_that_called_it() -> None:
    wait = call_response(("SystemApp__wait_for_notification", {"timeout": 60}))
    helper = create_scripted_agent(wait, call_response(SEND_A), text_response("Sent."))
    helper.name = "helper"
    other = create_scripted_agent(text_response("Nothing to do."))
    other.name = "other"
    root = create_scripted_agent(
        call_response(("helper", {"request": "Wait and send."})),
        call_response(("other", {"request": "Look."})),
        text_response("Done."),
        tools=[AgentTool(agent=helper), AgentTool(agent=other)],
    )
    run = create_run(root, build_mail_arrival())
    result = await run.run()
    assert result.passed, result.reason
    arrived = "[1970-01-01 00:16:50] Notification: EmailClientV2: New email received from a@example.com"
    counts = [
        [
            [part.text for content in request.contents for part in content.parts or []].count(arrived)
            for request in get_model(agent).requests
        ]
        for agent in (helper, root, other)
    ]
    # Once in every request after it arrived; the other agent begins after its caller was told.
    assert counts == [[0, 1, 1], [0, 1, 1], [0]]
    assert run.agent_run is not None
    events = await run.timeline.read_events(run.agent_run.recorded_session.session_id)
    assert [each.payload.text for each in events if isinstance(each.payload, NotificationDelivered)] == [
        arrived.partition("Notification: ")[2]
    ]

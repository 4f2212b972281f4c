"""A session that a wizard played passes the real `adk test`, and fails it once a tool is changed."""

import json
from pathlib import Path
from typing import Any, cast

import pytest
from adk_test_command import create_agent_folder, run_adk_test
from golden.test_adk_eval import Play, play_math, play_shop
from google.adk.agents import LlmAgent
from google.adk.agents.callback_context import CallbackContext
from google.adk.apps import App
from google.adk.models.llm_response import LlmResponse
from google.adk.sessions import Session
from google.adk.tools.agent_tool import AgentTool
from google.genai import types
from scripted_model import ScriptedModel, text_response

from adk_agent_sim import Simulation
from adk_agent_sim.adk.demo.math_agent.agent import app as math_app
from adk_agent_sim.adk.demo.shop_agent.agent import app as shop_app
from adk_agent_sim.adk.steps.steps import Confirmation
from adk_agent_sim.errors import NotReplayable, SessionIncomplete

_CHANGED = {
    "math_agent": """\
import adk_agent_sim.adk.demo.math_agent.agent as demo
def divide(dividend: float, divisor: float) -> float:
    return 0.0
root_agent = demo.root_agent.clone(update={"tools": [demo.add, demo.multiply, divide, demo.count_slowly]})
app = demo.app.model_copy(update={"root_agent": root_agent})
""",
    "shop_agent": """\
import adk_agent_sim.adk.demo.shop_agent.agent as demo
demo._PRODUCTS[2]["price"] = 10.5
app, root_agent = demo.app, demo.root_agent
""",
}


@pytest.mark.process
@pytest.mark.parametrize(
    ("app", "play"), [(math_app, play_math), (shop_app, play_shop)], ids=["math_agent", "shop_agent"]
)
async def test_a_session_passes_adk_test_until_a_tool_is_changed(tmp_path: Path, app: App, play: Play) -> None:
    agent = create_agent_folder(tmp_path, app.name)
    async with Simulation(app) as sim:
        await play(sim)
        sim.export_adk_test(agent / "tests" / "played.json")

    passed, output = run_adk_test(agent)
    assert passed, output

    (agent / "agent.py").write_text(_CHANGED[app.name])
    passed, output = run_adk_test(agent)
    assert not passed
    assert "1 failed" in output


_CAREFUL = '''\
from google.adk.agents import LlmAgent
from google.adk.apps import App
from google.adk.tools import FunctionTool

def wipe(disk: str) -> str:
    """Wipe a disk."""
    return f"{disk} is wiped"

tools = [FunctionTool(wipe, require_confirmation=True)]
root_agent = LlmAgent(name="careful", model="gemini-2.5-flash", tools=tools)
app = App(name="careful", root_agent=root_agent)
'''


@pytest.mark.process
async def test_a_confirmation_passes_adk_test(tmp_path: Path) -> None:
    agent = create_agent_folder(tmp_path, "careful", _CAREFUL)
    made: dict[str, Any] = {}
    exec(compile(_CAREFUL, "careful", "exec"), made)  # noqa: S102 - the folder's own source
    async with Simulation(made["app"]) as sim:
        turn = await sim.send("Wipe sda and sdb")
        turn = await turn.call("wipe", {"disk": "sda"})
        assert isinstance(turn, Confirmation)
        turn = await turn.approve()
        await turn.respond("Wiped.")
        sim.export_adk_test(agent / "tests" / "confirmed.json")

    passed, output = run_adk_test(agent)
    assert passed, output


async def test_a_fixture_is_an_adk_session(tmp_path: Path) -> None:
    path = tmp_path / "tests" / "played.json"
    async with Simulation(shop_app) as sim:
        await play_shop(sim)
        sim.export_adk_test(path)
        state = dict(await sim.state())

    session = Session.model_validate_json(path.read_text())

    assert (session.app_name, session.user_id, session.state) == ("shop_agent", "user", state)
    assert [event.id for event in session.events[:2]] == ["e-1", "e-2"]
    assert session.events[1].get_function_calls()[0].id == "fc-1"


async def _refusal(sim: Simulation, tmp_path: Path) -> str:
    path = tmp_path / "tests" / "refused.json"
    with pytest.raises(NotReplayable) as refused:
        sim.export_adk_test(path)
    assert not path.exists()
    sim.export_adk_test(path, force=True)
    assert json.loads(path.read_text())["events"]
    return "; ".join(refused.value.reasons)


async def test_an_initial_state_is_refused(tmp_path: Path) -> None:
    async with Simulation(shop_app, state={"customer": "Ada"}) as sim:
        await (await sim.send("Hello")).respond("Hello Ada")

        assert "it started with a state (customer)" in await _refusal(sim, tmp_path)


@pytest.mark.parametrize(
    ("first", "second", "why"),
    [
        (["Hello", "you"], ["Bye"], "of the first user message"),
        (["Hello"], [b"\x89PNG"], "user message 2 contains more than text"),
    ],
)
async def test_a_message_that_would_be_truncated_is_refused(
    tmp_path: Path, first: list[str | bytes], second: list[str | bytes], why: str
) -> None:
    async with Simulation(math_app) as sim:
        for parts in (first, second):
            await (await sim.send(_message(parts))).respond("Yes")

        assert why in await _refusal(sim, tmp_path)


def _message(parts: list[str | bytes]) -> types.Content:
    return types.Content(
        role="user",
        parts=[
            types.Part(text=part) if isinstance(part, str) else types.Part.from_bytes(data=part, mime_type="image/png")
            for part in parts
        ],
    )


async def test_a_model_that_adk_test_does_not_replace_is_refused(tmp_path: Path) -> None:
    agent = LlmAgent(name="scripted", model=ScriptedModel(script=[text_response("Yes")]))
    async with Simulation(agent, model="real") as sim:
        await sim.send("Hello")

        assert "agent 'scripted' has a ScriptedModel" in await _refusal(sim, tmp_path)


def _louder(callback_context: CallbackContext, llm_response: LlmResponse) -> LlmResponse:
    return LlmResponse(content=types.Content(role="model", parts=[types.Part(text="YES!")]))


async def test_an_answer_that_a_callback_changed_is_refused(tmp_path: Path) -> None:
    agent = LlmAgent(name="loud", model="gemini-2.5-flash", after_model_callback=_louder)
    async with Simulation(agent) as sim:
        await (await sim.send("Hello")).respond("yes")

        assert "answer 1 of the model differs from what its agent emitted" in await _refusal(sim, tmp_path)


async def test_an_agent_that_is_a_tool_is_refused(tmp_path: Path) -> None:
    helper = LlmAgent(name="helper", model=ScriptedModel(script=[text_response("helped")]), description="Helps.")
    agent = LlmAgent(name="boss", model="gemini-2.5-flash", tools=[AgentTool(helper)])
    async with Simulation(agent) as sim:
        turn = await sim.send("Hello")
        turn = await turn.call("helper", {"request": "help"})
        turn = await turn.respond("Helped.")
        await turn.respond("Done.")

        assert "agent 'helper' is a tool" in await _refusal(sim, tmp_path)


async def test_a_failed_call_is_refused_where_the_app_would_not_answer_it(tmp_path: Path) -> None:
    async with Simulation(cast("LlmAgent", math_app.root_agent)) as sim:
        turn = await sim.send("1/0?")
        turn = await turn.call("divide", {"dividend": 1, "divisor": 0})
        await turn.respond("No.")

        assert "failed (ZeroDivisionError), but the App has no ToolErrorPlugin" in await _refusal(sim, tmp_path)


async def test_a_path_where_adk_test_does_not_look_is_refused(tmp_path: Path) -> None:
    async with Simulation(math_app) as sim:
        await (await sim.send("Hello")).respond("Yes")

        with pytest.raises(NotReplayable, match=r"is not a \.json file in a folder called 'tests'"):
            sim.export_adk_test(tmp_path / "fixtures" / "played.json")


async def test_a_session_without_an_answer_is_refused(tmp_path: Path) -> None:
    async with Simulation(math_app) as sim:
        await sim.send("Hello")

        with pytest.raises(SessionIncomplete, match="has no final response"):
            sim.export_adk_test(tmp_path / "tests" / "played.json", force=True)

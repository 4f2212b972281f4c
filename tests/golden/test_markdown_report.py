import json
from typing import Any

import pytest
from google.adk.agents import LlmAgent
from google.adk.agents.callback_context import CallbackContext
from google.adk.models.llm_request import LlmRequest
from google.adk.tools import ToolContext
from google.genai import types

from adk_agent_sim import RunFailed, Simulation
from adk_agent_sim.adk.demo.math_agent.agent import app as math_app
from adk_agent_sim.adk.demo.shop_agent.agent import app as shop_app
from adk_agent_sim.golden.markdown_report import render_markdown_report

CANARY = "Kanarienvogel-4711"


async def test_a_report_contains_turns_calls_results_errors_players_and_the_final_state() -> None:
    async with Simulation(math_app, state={"customer": "Ada"}) as sim:
        turn = await sim.send("What is 2+2, and 1/0?")
        turn = await turn.calls([("add", {"a": 2, "b": 2}), ("divide", {"dividend": 1, "divisor": 0})])
        await turn.respond("4, and nothing.")
        report = sim.report()

    assert "# Session of `math_agent`" in report
    assert "| Tool calls | 2, 1 failed |" in report
    assert "| Model played by | human (2) |" in report
    assert "## Turn 1 (" in report
    assert "User:\n\n```\nWhat is 2+2, and 1/0?\n```" in report
    assert '**Call 1**: `add` by `math_agent`, decided by human\n\nArguments:\n\n```json\n{\n  "a": 2,' in report
    assert "Result of call 1 after " in report
    assert "tool real:\n\n```json\n4\n```" in report
    assert "**Error of call 2 after " in report
    assert "`ZeroDivisionError`\n\n```\ndivision by zero\n```\n\n<details><summary>Traceback</summary>" in report
    assert "Answer:\n\n```\n4, and nothing.\n```" in report
    assert '"customer": "Ada"' in report.split("## Final state")[1]


async def test_artifacts_are_listed() -> None:
    address = {"name": "Ada", "street": "Main Street 1", "city": "Berlin", "postcode": "10115"}
    async with Simulation(shop_app) as sim:
        turn = await sim.send("A cable")
        order = {"lines": [{"sku": "SKU-201", "quantity": 1}], "address": address}
        turn = await turn.call("place_order", {"order": order})
        await turn.respond("Ordered.")

        assert "- `ORD-0001.txt`, version 0, `text/plain`" in sim.report()


def _refuse(callback_context: CallbackContext, llm_request: LlmRequest) -> None:
    raise ValueError("a `callback` refused")


async def test_a_run_that_failed_says_why_in_its_turn() -> None:
    agent = LlmAgent(name="moody", model="gemini-2.5-flash", before_model_callback=_refuse)
    async with Simulation(agent) as sim:
        with pytest.raises(RunFailed):
            await sim.send("Hello?")

        assert "**The run failed** `ValueError`\n\n```\na `callback` refused\n```" in sim.report()


def log_in(user: str, password: str, tool_context: ToolContext) -> dict[str, Any]:
    """Log in."""
    tool_context.state["session_token"] = password
    if user == "nobody":
        raise PermissionError(f"{password} is not the password of {user}")
    return {"said": f"welcome {user}, {password}", "raw": json.dumps({"note": [password]})}


async def _leaky(simulation: Simulation) -> None:
    turn = await simulation.send(f"I am Ada, my word is {CANARY}. ```\n</details><script>")
    turn = await turn.call("log_in", {"user": "Ada", "password": CANARY})
    turn = await turn.call("log_in", {"user": "nobody", "password": CANARY})
    await turn.respond(f"You are in with {CANARY}.")


async def test_a_secret_occurs_nowhere_in_a_report_unless_asked_for() -> None:
    agent = LlmAgent(name="door", model="gemini-2.5-flash", tools=[log_in])
    async with Simulation(agent, state={"auth": {"cookie": CANARY}}) as sim:
        await _leaky(sim)

        assert CANARY not in sim.report()
        assert "welcome Ada, [redacted]" in sim.report()
        assert sim.report(redact=False).count(CANARY) > 5


async def test_a_secret_variable_occurs_nowhere_in_a_report(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SHOP_API_KEY", "4711-4711")
    async with Simulation(math_app) as sim:
        turn = await sim.send('It is {"key": "4711-4711"}, in short x4711-4711x')
        await turn.respond("I know: 4711-4711.")

        assert "4711" not in sim.report()


def test_a_session_without_events_has_a_report() -> None:
    assert "| User turns | 0, 0 answered |" in render_markdown_report([])


async def test_calls_that_share_an_id_are_numbered_apart() -> None:
    parts = [types.Part(function_call=types.FunctionCall(id="same", name="add", args={"a": n, "b": 0})) for n in (1, 2)]
    async with Simulation(math_app) as sim:
        turn = await sim.send("?")
        turn = await turn.decide(types.Content(role="model", parts=parts))
        await turn.respond("done")

    assert "**Call 1**" in sim.report()
    assert "**Call 2**" in sim.report()

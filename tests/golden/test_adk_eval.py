"""A session that a wizard played passes the real `adk eval`; a different model fails it."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from adk_eval_command import run_adk_eval
from google.adk.apps import App
from scripted_model import extract_decisions, text_response

from adk_agent_sim import Simulation
from adk_agent_sim.adk.demo.math_agent.agent import app as math_app
from adk_agent_sim.adk.demo.shop_agent.agent import app as shop_app

pytestmark = pytest.mark.process


async def play_math(sim: Simulation) -> None:
    turn = await sim.send("What is 2+2, and 3*3?")
    turn = await turn.call("add", {"a": 2, "b": 2})
    turn = await turn.calls([("multiply", {"a": 3, "b": 3}), ("count_slowly", {"to": 2, "seconds_each": 0})])
    await turn.respond("2+2 is 4, and 3*3 is 9.")
    turn = await sim.send("And 1/0?")
    turn = await turn.call("divide", {"dividend": 1, "divisor": 0})
    await turn.respond("One cannot divide by zero.")


async def play_shop(sim: Simulation) -> None:
    turn = await sim.send("Two cables to Ada in Berlin, please.")
    turn = await turn.call("search_products", {"query": "usb-c", "max_price": 20})
    address = {"name": "Ada", "street": "Main Street 1", "city": "Berlin", "postcode": "10115"}
    turn = await turn.call("place_order", {"order": {"lines": [{"sku": "SKU-201", "quantity": 2}], "address": address}})
    await turn.respond("Ordered.")
    turn = await sim.send("Refund ORD-0001, please.")
    turn = await turn.call("transfer_to_agent", {"agent_name": "refund_agent"})
    turn = await turn.call("get_order", {"order_id": "ORD-0001"})
    await turn.respond({"order_id": "ORD-0001", "granted": True, "amount": 19.0, "reason": "Not shipped yet."})


Play = Callable[[Simulation], Awaitable[None]]


async def _export(app: App, play: Play, eval_set: Path, state: dict[str, Any]) -> list[dict[str, Any]]:
    async with Simulation(app, state=state) as sim:
        await play(sim)
        sim.export(eval_set)
        return extract_decisions(sim.log())


@pytest.mark.req("001/US3.4", "001/SC-002", "001/constitution-5")
@pytest.mark.parametrize(
    ("app", "play", "state"),
    [(math_app, play_math, {}), (shop_app, play_shop, {"customer": "Ada"})],
    ids=["math_agent", "shop_agent"],
)
async def test_a_session_played_and_exported_passes_adk_eval(
    tmp_path: Path, app: App, play: Play, state: dict[str, Any]
) -> None:
    eval_set = tmp_path / "golden.evalset.json"
    script = await _export(app, play, eval_set, state)

    run = run_adk_eval(tmp_path / "agents", app.name, eval_set, script)

    assert run.passed, run.output


async def test_a_model_that_decides_otherwise_fails_adk_eval(tmp_path: Path) -> None:
    eval_set = tmp_path / "golden.evalset.json"
    await _export(math_app, play_math, eval_set, {})

    run = run_adk_eval(tmp_path / "agents", "math_agent", eval_set, [text_response("2+2 is 4, and 3*3 is 9.")])

    assert run.exit_code != 0
    assert "Tests failed: 1" in run.output

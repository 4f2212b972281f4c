"""The proof of the product: what a wizard played passes the real `adk eval`."""

from pathlib import Path

from adk_agent_sim import Simulation
from adk_agent_sim.adk.demo.math_agent.agent import app as math_app
from adk_eval import evaluate
from scripted import decisions, says


async def _played_math(eval_set: Path) -> list[dict[str, object]]:
    async with Simulation(math_app) as sim:
        turn = await sim.send("What is 2+2?")
        turn = await turn.call("add", {"a": 2, "b": 2})
        await turn.respond("The answer is 4")
        sim.export(eval_set)
        return decisions(sim.log())


async def test_one_tool_call_played_and_exported_passes_adk_eval(tmp_path: Path) -> None:
    eval_set = tmp_path / "math.evalset.json"
    script = await _played_math(eval_set)

    run = evaluate(tmp_path / "agents", "math_agent", eval_set, script)

    assert run.passed, run.output


async def test_a_model_that_decides_otherwise_fails_adk_eval(tmp_path: Path) -> None:
    eval_set = tmp_path / "math.evalset.json"
    await _played_math(eval_set)

    run = evaluate(tmp_path / "agents", "math_agent", eval_set, [says("The answer is 4")])

    assert run.exit_code != 0
    assert not run.passed

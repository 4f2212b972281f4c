"""Plays the model of the math demo agent, and leaves a golden trace for `adk eval`."""

import asyncio
import sys

from adk_agent_sim import Simulation
from adk_agent_sim.adk import get_demo_folder, load_app

app = load_app(get_demo_folder("math_agent"))


async def main(eval_set: str) -> None:
    async with Simulation(app) as sim:
        turn = await sim.send("What is 2+2?")  # you are the user
        turn = await turn.call("add", {"a": 2, "b": 2})  # you are the model; the real tool runs
        done = await turn.respond("The answer is 4")
        print(done.text)
        print("exported", sim.export(eval_set).eval_id)


asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "math.evalset.json"))

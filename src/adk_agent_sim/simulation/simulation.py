"""`Simulation`: plays an agent's model from Python, one decision at a time, without a browser or a server."""

from __future__ import annotations

from adk_agent_sim.simulation.session_exports import SessionExports
from adk_agent_sim.simulation.time_travel import TimeTravel


class Simulation(TimeTravel, SessionExports):
    """An agent whose model you play.

        async with Simulation(agent) as sim:
            turn = await sim.send("What is 2+2?")
            turn = await turn.call("add", {"a": 2, "b": 2})
            done = await turn.respond("The answer is 4")
            sim.export("evals/math.evalset.json")

    ADK's own Runner runs the agent, with its real tools, callbacks, state, artifacts and transfers. If the run fails,
    RunFailed is raised.
    """

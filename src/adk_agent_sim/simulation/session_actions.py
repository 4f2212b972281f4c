"""What a person does in the session of a simulation, by the use cases: decide turns."""

from __future__ import annotations

from adk_agent_sim.adk.steps.steps import Step
from adk_agent_sim.adk.steps.stepwise_run import StepwiseRun
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.use_cases import turns
from adk_agent_sim.use_cases.open_session import OpenSession


class SessionActions(StepwiseRun):
    """Acts in the session of a simulation."""

    def _open_session(self) -> OpenSession:
        return OpenSession(self.timeline, self.session_id, self._agent_run)

    async def decide(self, turn_id: str, response: Json, *, anyway: bool = False) -> Step:
        """Decide a turn with an `LlmResponse` as JSON; the methods of `ModelTurn` are more convenient."""
        await turns.decide_turn(self._open_session(), turn_id, response, anyway=anyway)
        return await self.next()

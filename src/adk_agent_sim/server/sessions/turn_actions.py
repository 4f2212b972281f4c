"""What a person does as the model of a session: decide a turn, or let the agent's own model suggest or decide."""

from __future__ import annotations

from adk_agent_sim.adk.seats.own_model import ask_own_model, decide_with_own_model
from adk_agent_sim.errors import AgentNotLocal, InvalidAnswer, InvalidArguments
from adk_agent_sim.server.sessions import decision_parsing
from adk_agent_sim.server.sessions.decision_api_models import DecisionInput, Suggestion
from adk_agent_sim.server.sessions.session_api_models import SessionDetail
from adk_agent_sim.server.sessions.session_directory import SessionDirectory
from adk_agent_sim.server.sessions.session_runs import SessionRuns
from adk_agent_sim.timeline.decision_checks import get_function_calls
from adk_agent_sim.timeline.submissions import TurnDecision
from adk_agent_sim.timeline.timeline import Timeline
from adk_agent_sim.use_cases.record import FieldProblem


class TurnActions:
    """Decides the turns of sessions whose agents run here or, if allowed, in other processes."""

    def __init__(self, timeline: Timeline, runs: SessionRuns, directory: SessionDirectory) -> None:
        self._timeline = timeline
        self._runs = runs
        self._directory = directory

    async def decide(self, session_id: str, turn_id: str, decision: DecisionInput) -> SessionDetail:
        """Decide a turn.

        Raises:
            AgentNotLocal: The session's agent ended with an earlier process.
            InvalidArguments: A call does not match its tool's schema.
            InvalidAnswer: The final response does not match the output schema.
        """
        await self._check_decidable(session_id)
        request = await self._timeline.read_request_settings(await self._timeline.get_turn(session_id, turn_id))
        response = decision_parsing.build_response(decision, request)
        run = self._runs.find(session_id)
        decide = run.recorded_session.decide if run else self._timeline.decide
        try:
            await decide(
                TurnDecision(session_id, turn_id, response, decision_id=decision.decision_id, force=decision.force)
            )
        except InvalidArguments as error:
            if decision.calls:
                raise
            # ADK may take the final response as a call of its own tool; the person only filled in a response.
            raise InvalidAnswer(error.problems) from None
        return await self._directory.get_detail(session_id)

    async def find_call_problems(self, session_id: str, turn_id: str, decision: DecisionInput) -> list[FieldProblem]:
        """Return the problems of each call of a decision."""
        request = await self._timeline.read_request_settings(await self._timeline.get_turn(session_id, turn_id))
        response = decision_parsing.build_response(decision, request)
        return decision_parsing.find_call_problems(request, get_function_calls(response))

    async def suggest_decision(self, session_id: str, turn_id: str) -> Suggestion:
        """Return what the agent's own model would decide; the turn keeps waiting."""
        await self._timeline.get_turn(session_id, turn_id)
        run = self._runs.require(session_id, "ask the agent's own model")
        return decision_parsing.build_suggestion(await ask_own_model(run.recorded_session, turn_id))

    async def decide_with_own_model(self, session_id: str, turn_id: str) -> SessionDetail:
        """Let the agent's own model decide this turn."""
        await self._timeline.get_turn(session_id, turn_id)
        run = self._runs.require(session_id, "ask the agent's own model")
        await decide_with_own_model(run.recorded_session, turn_id)
        return await self._directory.get_detail(session_id)

    async def _check_decidable(self, session_id: str) -> None:
        summary = await self._timeline.get_summary(session_id)
        # A closed session gets the timeline's own error, which says when and why it was closed.
        if not self._runs.is_playable(session_id) and not summary.is_closed:
            raise AgentNotLocal(session_id, "decide")

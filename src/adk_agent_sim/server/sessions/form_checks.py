"""Checks a form while a person fills it in: the arguments of a call, a message, a final response, a tool's result."""

from __future__ import annotations

from adk_agent_sim.adk.runs.answer_check import check_answer
from adk_agent_sim.adk.runs.pause_answers import get_input_request_schema
from adk_agent_sim.adk.runs.user_message import build_user_message
from adk_agent_sim.errors import InvalidAnswer, InvalidMessage, TurnNotFound
from adk_agent_sim.forms.schema_checker import SchemaChecker
from adk_agent_sim.server.sessions import action_parsing
from adk_agent_sim.server.sessions.decision_api_models import CheckInput, DecisionInput
from adk_agent_sim.server.sessions.session_runs import SessionRuns
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.json_input import parse_json_input
from adk_agent_sim.timeline.model_request import RequestSettings
from adk_agent_sim.timeline.strict_json import dump_json
from adk_agent_sim.timeline.timeline import Timeline
from adk_agent_sim.timeline.tool_requests import find_result_problems, get_tool_asked
from adk_agent_sim.use_cases.open_session import OpenSession
from adk_agent_sim.use_cases.record import FieldProblem


class FormChecks:
    """Finds the problems of a form without sending it."""

    def __init__(self, timeline: Timeline, runs: SessionRuns) -> None:
        self._timeline = timeline
        self._runs = runs

    async def find_problems(self, session_id: str, turn_id: str | None, form: CheckInput) -> list[FieldProblem]:
        """Return the problems of a form; none if it could be sent.

        Raises:
            TurnNotFound: A call or answer was given without its turn, or there is no such turn.
            ToolRequestNotFound: The call whose result is checked does not wait for it.
        """
        summary = await self._timeline.get_summary(session_id)
        session, value = OpenSession(self._timeline, session_id), parse_json_input(form.value)
        if form.target == "message":
            return self._find_message_problems(session_id, value)
        if turn_id is None:
            raise TurnNotFound(session_id, "")
        if form.target == "input":
            if turn_id not in summary.pending:
                return []  # it was answered while the form was being checked
            arguments = await session.read_request_arguments(summary.pending[turn_id])
            problems = SchemaChecker(get_input_request_schema(arguments) or {}).find_problems(value)
            return [FieldProblem(path=problem.path, message=problem.message) for problem in problems]
        if form.target == "result":
            asked = get_tool_asked(await self._timeline.tool_requests.get_pending(session_id, turn_id))
            problems = find_result_problems(asked, value)
            return [FieldProblem(path=problem.path, message=problem.message) for problem in problems]
        request = await self._timeline.read_request_settings(await self._timeline.get_turn(session_id, turn_id))
        if form.target == "call":
            return action_parsing.find_call_problems(request, [{"name": form.tool_name, "args": value}])
        return self._find_answer_problems(session_id, turn_id, request, value)

    def _find_message_problems(self, session_id: str, value: Json) -> list[FieldProblem]:
        run = self._runs.require(session_id, "check a message")
        try:
            build_user_message(run.root_agent, dump_json(value))
        except InvalidMessage as error:
            return [FieldProblem(path=problem.path, message=problem.message) for problem in error.problems]
        return []

    def _find_answer_problems(
        self, session_id: str, turn_id: str, request: RequestSettings, value: Json
    ) -> list[FieldProblem]:
        problems = action_parsing.find_answer_problems(request, value)
        run = self._runs.find(session_id)
        pending = run.recorded_session.pending_requests.get(turn_id) if run else None
        # The agent's pydantic model may be stricter than its JSON Schema; it is known only where the agent runs.
        if not problems and pending is not None:
            answer = DecisionInput(decision_id="form-check", json_text=dump_json(value))
            try:
                check_answer(pending, action_parsing.build_response(answer, request))
            except InvalidAnswer as error:
                problems = list(error.problems)
        return [FieldProblem(path=problem.path, message=problem.message) for problem in problems]

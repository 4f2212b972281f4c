"""Checks a form while a person fills it in: the arguments of a call, a message, a final response, a tool's result."""

from __future__ import annotations

from adk_agent_sim.adk.runs.answer_check import check_answer
from adk_agent_sim.adk.runs.pause_answers import get_input_request_schema
from adk_agent_sim.adk.runs.user_message import build_user_message
from adk_agent_sim.errors import InvalidAnswer, InvalidMessage, TurnNotFound
from adk_agent_sim.forms.schema_checker import SchemaChecker
from adk_agent_sim.server.sessions import action_parsing
from adk_agent_sim.server.sessions.decision_api_models import CheckInput, DecisionInput
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.model_request import RequestSettings
from adk_agent_sim.timeline.strict_json import dump_json, parse_json_input
from adk_agent_sim.timeline.tool_requests import find_result_problems, get_tool_asked
from adk_agent_sim.use_cases.open_session import OpenSession
from adk_agent_sim.use_cases.record import FieldProblem


async def find_form_problems(session: OpenSession, turn_id: str | None, form: CheckInput) -> list[FieldProblem]:
    """Return the problems of a form; none if it could be sent.

    Raises:
        TurnNotFound: A call or answer was given without its turn, or there is no such turn.
        ToolRequestNotFound: The call whose result is checked does not wait for it.
    """
    timeline, session_id, value = session.timeline, session.session_id, parse_json_input(form.value)
    if form.target == "message":
        return _find_message_problems(session, value)
    if turn_id is None:
        raise TurnNotFound(session_id, "")
    if form.target == "input":
        request = (await timeline.get_summary(session_id)).pending.get(turn_id)
        if request is None:
            return []  # it was answered while the form was being checked
        arguments = await session.read_request_arguments(request)
        problems = SchemaChecker(get_input_request_schema(arguments) or {}).find_problems(value)
        return [FieldProblem(path=problem.path, message=problem.message) for problem in problems]
    if form.target == "result":
        asked = get_tool_asked(await timeline.tool_requests.get_pending(session_id, turn_id))
        problems = find_result_problems(asked, value)
        return [FieldProblem(path=problem.path, message=problem.message) for problem in problems]
    request = await timeline.read_request_settings(await timeline.get_turn(session_id, turn_id))
    if form.target == "call":
        return action_parsing.find_call_problems(request, [{"name": form.tool_name, "args": value}])
    return _find_answer_problems(session, turn_id, request, value)


def _find_message_problems(session: OpenSession, value: Json) -> list[FieldProblem]:
    run = session.require_run("check a message")
    try:
        build_user_message(run.root_agent, dump_json(value))
    except InvalidMessage as error:
        return [FieldProblem(path=problem.path, message=problem.message) for problem in error.problems]
    return []


def _find_answer_problems(
    session: OpenSession, turn_id: str, request: RequestSettings, value: Json
) -> list[FieldProblem]:
    problems = action_parsing.find_answer_problems(request, value)
    run = session.run
    pending = run.recorded_session.pending_requests.get(turn_id) if run else None
    # The agent's pydantic model may be stricter than its JSON Schema; it is known only where the agent runs.
    if not problems and pending is not None:
        answer = DecisionInput(decision_id="form-check", json_text=dump_json(value))
        try:
            check_answer(pending, action_parsing.build_response(answer, request))
        except InvalidAnswer as error:
            problems = list(error.problems)
    return [FieldProblem(path=problem.path, message=problem.message) for problem in problems]

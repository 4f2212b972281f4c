"""Converts what a person sends from the browser, and checks forms while they are filled in.

Forms are the arguments of a call, a message, a final response, a tool's result, or input.
"""

from __future__ import annotations

import binascii
import re
from base64 import b64decode
from collections.abc import Iterable, Mapping, Sequence

from adk_agent_sim.adk.runs.answer_check import check_answer
from adk_agent_sim.adk.runs.pause_answers import get_input_request_schema
from adk_agent_sim.adk.runs.user_message import build_user_message
from adk_agent_sim.errors import InvalidAnswer, InvalidMessage, MalformedValue, Problem, TurnNotFound
from adk_agent_sim.forms.schema_checker import SchemaChecker, build_arguments_checker
from adk_agent_sim.server.sessions.request_view import find_output_schema
from adk_agent_sim.server.sessions.session_api_models import CheckInput, DecisionInput, FilePart, UserMessage
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.decision_checks import find_arguments_problems
from adk_agent_sim.timeline.framework_calls import SET_MODEL_RESPONSE, build_response_arguments
from adk_agent_sim.timeline.model_request import RequestSettings
from adk_agent_sim.timeline.strict_json import dump_json, parse_json_input, parse_json_object_input
from adk_agent_sim.timeline.tool_requests import find_result_problems, get_tool_asked
from adk_agent_sim.use_cases.open_session import OpenSession
from adk_agent_sim.use_cases.record import FieldProblem

_MIME_TYPE = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]{0,126}/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}", re.ASCII | re.IGNORECASE)


def read_user_message(message: UserMessage) -> tuple[str, list[tuple[str, str, bytes]]]:
    """Return the text of a message, and the name, MIME type and bytes of each file; raise MalformedValue."""
    files = [(file.name, file.mime_type, _decode_file(file)) for file in message.files]
    if message.json_text is None:
        return message.text, files
    return dump_json(parse_json_input(message.json_text, "The message")), files


def _decode_file(file: FilePart) -> bytes:
    label = f"The file {file.name[:100]!r}"
    if not _MIME_TYPE.fullmatch(file.mime_type):
        raise MalformedValue(label, f"{file.mime_type[:100]!r} is not a MIME type")
    try:
        return b64decode(file.data, validate=True)
    except (binascii.Error, ValueError) as error:
        raise MalformedValue(label, f"it is not base64: {error}") from None


def build_response(decision: DecisionInput, request: RequestSettings) -> Json:
    """Return the decision as an `LlmResponse` in JSON.

    Raises:
        MalformedValue: The arguments or the final response are not valid JSON.
    """
    calls = [
        (call.name, parse_json_object_input(call.arguments, f"The arguments of {call.name!r}"))
        for call in decision.calls
    ]
    text = decision.text or ""
    if decision.json_text is not None:
        data = parse_json_input(decision.json_text, "The final response")
        # ADK declares this tool in place of an output schema, for models that cannot have both tools and a schema.
        if SET_MODEL_RESPONSE in request.declarations and not calls:
            schema = request.find_parameters_schema(SET_MODEL_RESPONSE)
            calls = [(SET_MODEL_RESPONSE, build_response_arguments(schema, data))]
        else:
            text = dump_json(data)
    parts: list[Json] = [{"text": text}] if text else []
    parts += [{"function_call": {"name": name, "args": arguments}} for name, arguments in calls]
    return {"content": {"role": "model", "parts": parts}}


def find_call_problems(request: RequestSettings, calls: Sequence[Mapping[str, Json]]) -> list[FieldProblem]:
    """Return the problems of each call: of its arguments, or that its tool is not offered."""
    all_problems: list[FieldProblem] = []
    for index, call in enumerate(calls):
        name = call.get("name") or ""
        schema = request.find_parameters_schema(name)
        if schema is None:
            message = f"{name!r} is not offered in this turn"
            all_problems.append(FieldProblem(path="", message=message, call_index=index))
            continue
        problems = find_arguments_problems(schema, call.get("args") or {})
        all_problems += [FieldProblem(path=each.path, message=each.message, call_index=index) for each in problems]
    return all_problems


def find_answer_problems(request: RequestSettings, value: Json) -> list[Problem]:
    """Return the problems of a final response; none if the turn has no output schema."""
    schema = find_output_schema(request)
    if schema is None:
        return []
    if SET_MODEL_RESPONSE in request.declarations:
        return build_arguments_checker(schema).find_problems(
            build_response_arguments(request.find_parameters_schema(SET_MODEL_RESPONSE), value)
        )
    return SchemaChecker(schema).find_problems(value)


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
        return _to_field_problems(SchemaChecker(get_input_request_schema(arguments) or {}).find_problems(value))
    if form.target == "result":
        asked = get_tool_asked(await timeline.tool_requests.get_pending(session_id, turn_id))
        return _to_field_problems(find_result_problems(asked, value))
    request = await timeline.read_request_settings(await timeline.get_turn(session_id, turn_id))
    if form.target == "call":
        return find_call_problems(request, [{"name": form.tool_name, "args": value}])
    return _find_answer_problems(session, turn_id, request, value)


def _find_message_problems(session: OpenSession, value: Json) -> list[FieldProblem]:
    run = session.require_run("check a message")
    try:
        build_user_message(run.root_agent, dump_json(value))
    except InvalidMessage as error:
        return _to_field_problems(error.problems)
    return []


def _to_field_problems(problems: Iterable[Problem]) -> list[FieldProblem]:
    return [FieldProblem(path=problem.path, message=problem.message) for problem in problems]


def _find_answer_problems(
    session: OpenSession, turn_id: str, request: RequestSettings, value: Json
) -> list[FieldProblem]:
    problems = find_answer_problems(request, value)
    run = session.run
    pending = run.recorded_session.pending_requests.get(turn_id) if run else None
    # The agent's pydantic model may be stricter than its JSON Schema; it is known only where the agent runs.
    if not problems and pending is not None:
        answer = DecisionInput(decision_id="form-check", json_text=dump_json(value))
        try:
            check_answer(pending, build_response(answer, request))
        except InvalidAnswer as error:
            problems = list(error.problems)
    return _to_field_problems(problems)

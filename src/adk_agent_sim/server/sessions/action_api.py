"""The endpoints that act in a session: as its user, as its model, on its environment, its notes and its export."""

from __future__ import annotations

from pathlib import Path

from fastapi import Response

from adk_agent_sim.errors import AgentNotLocal, InvalidArguments, ToolNotOffered
from adk_agent_sim.golden.session import SimulatedAgentConfig
from adk_agent_sim.server.sessions import environment_controls
from adk_agent_sim.server.sessions.action_parsing import (
    build_response,
    find_call_problems,
    find_form_problems,
    read_user_message,
)
from adk_agent_sim.server.sessions.environment_controls import (
    EnvironmentInfo,
    FaultInput,
    ProfileSwitchInput,
    RuleSwitchInput,
    ToolSwitchInput,
)
from adk_agent_sim.server.sessions.row_details import NoteInput
from adk_agent_sim.server.sessions.session_api_models import (
    CheckInput,
    ConfirmationInput,
    DecisionInput,
    PauseAnswerInput,
    PendingToolCall,
    StateEdit,
    ToolResponseInput,
    UserMessage,
)
from adk_agent_sim.server.sessions.session_services import ServedSession
from adk_agent_sim.server.web.api_router import (
    ServicesDependency,
    SessionDependency,
    create_router,
)
from adk_agent_sim.server.web.responses import error_response, json_response
from adk_agent_sim.timeline.decision_checks import get_function_calls
from adk_agent_sim.timeline.strict_json import parse_json_input, parse_json_object_input
from adk_agent_sim.timeline.submissions import ToolResponse
from adk_agent_sim.timeline.tool_requests import get_tool_asked
from adk_agent_sim.use_cases import exports, messages, sessions, state, turns
from adk_agent_sim.use_cases.export_records import (
    EvalCaseKeys,
    ExportPreview,
    ExportRequest,
    ExportResult,
    WrittenExport,
)
from adk_agent_sim.use_cases.record import FieldProblem, OperationResult
from adk_agent_sim.use_cases.turns import Suggestion

action_api = create_router("/api/sessions/{session_id}")


@action_api.post("/messages", response_model=OperationResult)
async def send_message(session: SessionDependency, message: UserMessage) -> Response:
    """Send a message as the user."""
    text, files = read_user_message(message)
    return json_response(await messages.send_message(session, text, files, force=message.force))


@action_api.post("/consent", response_model=OperationResult)
async def answer_confirmation(session: SessionDependency, confirmation: ConfirmationInput) -> Response:
    """Approve or deny a call as the user."""
    payload = parse_json_input(confirmation.payload, "The payload") if confirmation.payload is not None else None
    answer = await messages.answer_consent(
        session, confirmation.question_id, approve=confirmation.approve, payload=payload
    )
    return json_response(answer)


@action_api.post("/requests/{request_id}/answer", response_model=OperationResult)
async def answer_request(session: SessionDependency, request_id: str, answer: PauseAnswerInput) -> Response:
    """Give, as the user, the input or the credential that a paused agent asks for."""
    value = None if answer.value is None else parse_json_input(answer.value, "The answer")
    return json_response(await messages.answer_request(session, request_id, value, force=answer.force))


@action_api.post("/calls/{call_id}/cancel", response_model=OperationResult)
async def cancel_call(session: SessionDependency, call_id: str) -> Response:
    """Cancel one running call."""
    return json_response(await turns.cancel_call(session, call_id))


@action_api.post("/state", response_model=OperationResult)
async def edit_state(session: SessionDependency, edit: StateEdit) -> Response:
    """Set keys of the session state, between two runs or while a turn waits."""
    return json_response(await state.edit_state(session, parse_json_object_input(edit.changes, "The state")))


@action_api.post("/stop", response_model=OperationResult)
async def stop_run(session: SessionDependency) -> Response:
    """Cancel the current run; another message continues the session."""
    return json_response(await messages.stop_run(session))


@action_api.post("/rows/{index}/note", response_model=OperationResult)
async def note_row(services: ServicesDependency, session_id: str, index: int, note: NoteInput) -> Response:
    """Put a note on a row, change it, or remove it; also in a closed session."""
    return json_response(await sessions.note_row(services.timeline, session_id, index, note.text))


@action_api.post("/turns/{turn_id}/decision", response_model=OperationResult)
async def decide_turn(session: SessionDependency, turn_id: str, decision: DecisionInput) -> Response:
    """Decide a turn as its model."""
    turn = await session.timeline.get_turn(session.session_id, turn_id)
    request = await session.timeline.read_request_settings(turn)
    response, force = build_response(decision, request), decision.force
    try:
        answer = await turns.decide_turn(session, turn_id, response, decision_id=decision.decision_id, force=force)
    except (InvalidArguments, ToolNotOffered) as error:
        # The timeline stops at the first invalid call; a person wants to see the problems of all of them.
        return error_response(error, find_call_problems(request, get_function_calls(response)))
    return json_response(answer)


@action_api.post("/turns/{turn_id}/suggestion", response_model=Suggestion)
async def suggest_decision(session: SessionDependency, turn_id: str) -> Response:
    """Ask the agent's own model what it would decide; the turn keeps waiting."""
    return json_response(await turns.suggest_decision(session, turn_id))


@action_api.post("/turns/{turn_id}/own-model", response_model=OperationResult)
async def decide_with_own_model(session: SessionDependency, turn_id: str) -> Response:
    """Let the agent's own model decide this turn."""
    return json_response(await turns.decide_with_own_model(session, turn_id))


@action_api.get("/tool-calls/{request_id}", response_model=PendingToolCall)
async def get_tool_call(session: SessionDependency, request_id: str) -> Response:
    """Return a call of a tool that a person plays, while it waits for its response."""
    event = await session.timeline.tool_requests.get_pending(session.session_id, request_id)
    return json_response(PendingToolCall.from_event(event.agent_name, get_tool_asked(event)))


@action_api.post("/tool-calls/{request_id}/response", response_model=OperationResult)
async def respond_as_tool(session: SessionDependency, request_id: str, response: ToolResponseInput) -> Response:
    """Respond to a call as its tool."""
    result = None if response.error_type else parse_json_input(response.result, "The result")
    rest = response.model_dump(exclude={"result"})
    return json_response(
        await turns.respond_as_tool(session, ToolResponse(session.session_id, request_id, result, **rest))
    )


@action_api.post("/check", response_model=list[FieldProblem])
async def check_form(session: SessionDependency, form: CheckInput, turn_id: str | None = None) -> Response:
    """Return the problems of a form, without sending it; for the result of a tool, `turn_id` is its request's id."""
    return json_response(await find_form_problems(session, turn_id, form))


@action_api.get("/environment", response_model=EnvironmentInfo)
async def get_environment(session: SessionDependency) -> Response:
    """Return the rules and pending faults of the session's simulated environment."""
    return json_response(environment_controls.get_environment(session))


@action_api.post("/environment/rules", response_model=EnvironmentInfo)
async def switch_rule(session: SessionDependency, rule_switch: RuleSwitchInput) -> Response:
    """Switch a rule on or off, from the next call on."""
    return json_response(environment_controls.switch_rule(session, rule_switch))


@action_api.post("/environment/profile", response_model=EnvironmentInfo)
async def switch_profile(session: SessionDependency, profile_switch: ProfileSwitchInput) -> Response:
    """Make another profile of the rules the active one, from the next call on."""
    return json_response(await environment_controls.switch_profile(session, profile_switch))


@action_api.post("/environment/tools", response_model=EnvironmentInfo)
async def switch_tool(session: SessionDependency, tool_switch: ToolSwitchInput) -> Response:
    """Choose who plays a tool, from the next call on."""
    return json_response(await environment_controls.switch_tool(session, tool_switch))


@action_api.post("/environment/faults", response_model=EnvironmentInfo)
async def add_fault(session: SessionDependency, fault: FaultInput) -> Response:
    """Inject a fault into the next call of a tool."""
    return json_response(await environment_controls.add_fault(session, fault))


@action_api.put("/environment/faults/{fault_id}", response_model=EnvironmentInfo)
async def replace_fault(session: SessionDependency, fault_id: str, fault: FaultInput) -> Response:
    """Replace a pending fault by another one."""
    return json_response(await environment_controls.replace_fault(session, fault_id, fault))


@action_api.delete("/environment/faults/{fault_id}", response_model=EnvironmentInfo)
async def remove_fault(session: SessionDependency, fault_id: str) -> Response:
    """Remove a pending fault."""
    return json_response(environment_controls.remove_fault(session, fault_id))


@action_api.post("/export", response_model=ExportResult)
async def export_session(session: SessionDependency, request: ExportRequest) -> Response:
    """Write the session to a file, by default the one that the agent's config names."""
    config = await _find_config(session)
    result = await exports.export_session(session.timeline, session.session_id, request, config, is_confined=True)
    return json_response(result.model_copy(update={"eval_case": await _find_case(session, result)}))


@action_api.post("/export/preview", response_model=ExportPreview)
async def preview_export(session: SessionDependency, request: ExportRequest) -> Response:
    """Return what an export would write, and what it leaves out; nothing is written."""
    config = await _find_config(session)
    return json_response(
        await exports.preview_export(session.timeline, session.session_id, request, config, is_confined=True)
    )


@action_api.post("/exports", response_model=OperationResult)
async def record_export(session: SessionDependency, export: WrittenExport) -> Response:
    """Record an export that a command has written to a file of its own, so that the session is shown as exported."""
    return json_response(await exports.record_export(session.timeline, session.session_id, export))


async def _find_config(session: ServedSession) -> SimulatedAgentConfig | None:
    """Return the config of a session's agent; None if it runs in another process.

    Raises:
        AgentNotLocal: The session's agent is not one of this server's.
    """
    summary, runs = await session.timeline.get_summary(session.session_id), session.services.runs
    agent = runs.find_agent(summary) or await runs.load_agent(summary)
    if agent is None and not session.may_be_remote:
        raise AgentNotLocal(session.session_id, "export a golden trace")
    return agent.config if agent else None


async def _find_case(session: ServedSession, result: ExportResult) -> EvalCaseKeys | None:
    """Return where the eval pages show what was written; None if they do not."""
    agent = session.services.runs.find_agent(await session.timeline.get_summary(session.session_id))
    if session.services.evals is None or agent is None or result.format != "evalset":
        return None
    file = session.services.evals.add_export(Path(result.path), agent.key)
    case_key = await file.find_key_of(result.eval_id) if file is not None else ""
    return EvalCaseKeys(file_key=file.key, case_key=case_key) if file is not None and case_key else None

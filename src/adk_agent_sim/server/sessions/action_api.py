"""The endpoints that act in a session: as its user, as its model, on its environment, its notes and its export."""

from __future__ import annotations

from fastapi import Response

from adk_agent_sim.errors import InvalidArguments, ToolNotOffered
from adk_agent_sim.server.sessions.decision_api_models import (
    CheckInput,
    ConfirmationInput,
    DecisionInput,
    Suggestion,
    ToolResponseInput,
    UserMessage,
)
from adk_agent_sim.server.sessions.environment_api_models import (
    EnvironmentInfo,
    FaultInput,
    ProfileSwitchInput,
    RuleSwitchInput,
    ToolSwitchInput,
)
from adk_agent_sim.server.sessions.pause_api_models import PauseAnswerInput
from adk_agent_sim.server.sessions.row_api_models import NoteInput, Row
from adk_agent_sim.server.sessions.session_api_models import PendingToolCall, SessionDetail, StateEdit
from adk_agent_sim.server.web.api_dependencies import (
    ActionsDependency,
    EnvironmentDependency,
    ExporterDependency,
    FormsDependency,
    ToolsDependency,
    TurnsDependency,
)
from adk_agent_sim.server.web.api_router import create_router
from adk_agent_sim.server.web.responses import error_response, json_response
from adk_agent_sim.use_cases.export_records import ExportPreview, ExportRequest, ExportResult, WrittenExport
from adk_agent_sim.use_cases.record import FieldProblem, OperationResult

action_api = create_router("/api/sessions/{session_id}")


@action_api.post("/messages", response_model=SessionDetail)
async def send_message(actions: ActionsDependency, session_id: str, message: UserMessage) -> Response:
    """Send a message as the user."""
    return json_response(await actions.send_message(session_id, message))


@action_api.post("/consent", response_model=SessionDetail)
async def answer_confirmation(actions: ActionsDependency, session_id: str, confirmation: ConfirmationInput) -> Response:
    """Approve or deny a call as the user."""
    return json_response(await actions.answer_confirmation(session_id, confirmation))


@action_api.post("/requests/{request_id}/answer", response_model=SessionDetail)
async def answer_request(
    actions: ActionsDependency, session_id: str, request_id: str, answer: PauseAnswerInput
) -> Response:
    """Give, as the user, the input or the credential that a paused agent asks for."""
    return json_response(await actions.answer_pause(session_id, request_id, answer))


@action_api.post("/calls/{call_id}/cancel", response_model=SessionDetail)
async def cancel_call(actions: ActionsDependency, session_id: str, call_id: str) -> Response:
    """Cancel one running call."""
    return json_response(await actions.cancel_call(session_id, call_id))


@action_api.post("/state", response_model=SessionDetail)
async def edit_state(actions: ActionsDependency, session_id: str, edit: StateEdit) -> Response:
    """Set keys of the session state, between two runs or while a turn waits."""
    return json_response(await actions.edit_state(session_id, edit))


@action_api.post("/stop", response_model=SessionDetail)
async def stop_run(actions: ActionsDependency, session_id: str) -> Response:
    """Cancel the current run; another message continues the session."""
    return json_response(await actions.stop_run(session_id))


@action_api.post("/rows/{index}/note", response_model=Row)
async def note_row(actions: ActionsDependency, session_id: str, index: int, note: NoteInput) -> Response:
    """Put a note on a row, change it, or remove it; also in a closed session."""
    return json_response(await actions.note_row(session_id, index, note.text))


@action_api.post("/turns/{turn_id}/decision", response_model=SessionDetail)
async def decide_turn(turns: TurnsDependency, session_id: str, turn_id: str, decision: DecisionInput) -> Response:
    """Decide a turn as its model."""
    try:
        return json_response(await turns.decide(session_id, turn_id, decision))
    except (InvalidArguments, ToolNotOffered) as error:
        # The timeline stops at the first invalid call; a person wants to see the problems of all of them.
        return error_response(error, await turns.find_call_problems(session_id, turn_id, decision))


@action_api.post("/turns/{turn_id}/suggestion", response_model=Suggestion)
async def suggest_decision(turns: TurnsDependency, session_id: str, turn_id: str) -> Response:
    """Ask the agent's own model what it would decide; the turn keeps waiting."""
    return json_response(await turns.suggest_decision(session_id, turn_id))


@action_api.post("/turns/{turn_id}/own-model", response_model=SessionDetail)
async def decide_with_own_model(turns: TurnsDependency, session_id: str, turn_id: str) -> Response:
    """Let the agent's own model decide this turn."""
    return json_response(await turns.decide_with_own_model(session_id, turn_id))


@action_api.get("/tool-calls/{request_id}", response_model=PendingToolCall)
async def get_tool_call(tools: ToolsDependency, session_id: str, request_id: str) -> Response:
    """Return a call of a tool that a person plays, while it waits for its response."""
    return json_response(await tools.get_call(session_id, request_id))


@action_api.post("/tool-calls/{request_id}/response", response_model=SessionDetail)
async def respond_as_tool(
    tools: ToolsDependency, session_id: str, request_id: str, response: ToolResponseInput
) -> Response:
    """Respond to a call as its tool."""
    return json_response(await tools.respond(session_id, request_id, response))


@action_api.post("/check", response_model=list[FieldProblem])
async def check_form(forms: FormsDependency, session_id: str, form: CheckInput, turn_id: str | None = None) -> Response:
    """Return the problems of a form, without sending it; for the result of a tool, `turn_id` is its request's id."""
    return json_response(await forms.find_problems(session_id, turn_id, form))


@action_api.get("/environment", response_model=EnvironmentInfo)
async def get_environment(environment: EnvironmentDependency, session_id: str) -> Response:
    """Return the rules and pending faults of the session's simulated environment."""
    return json_response(await environment.get_environment(session_id))


@action_api.post("/environment/rules", response_model=EnvironmentInfo)
async def switch_rule(environment: EnvironmentDependency, session_id: str, rule_switch: RuleSwitchInput) -> Response:
    """Switch a rule on or off, from the next call on."""
    return json_response(await environment.switch_rule(session_id, rule_switch))


@action_api.post("/environment/profile", response_model=EnvironmentInfo)
async def switch_profile(
    environment: EnvironmentDependency, session_id: str, profile_switch: ProfileSwitchInput
) -> Response:
    """Make another profile of the rules the active one, from the next call on."""
    return json_response(await environment.switch_profile(session_id, profile_switch))


@action_api.post("/environment/tools", response_model=EnvironmentInfo)
async def switch_tool(environment: EnvironmentDependency, session_id: str, tool_switch: ToolSwitchInput) -> Response:
    """Choose who plays a tool, from the next call on."""
    return json_response(await environment.switch_tool(session_id, tool_switch))


@action_api.post("/environment/faults", response_model=EnvironmentInfo)
async def add_fault(environment: EnvironmentDependency, session_id: str, fault: FaultInput) -> Response:
    """Inject a fault into the next call of a tool."""
    return json_response(await environment.add_fault(session_id, fault))


@action_api.put("/environment/faults/{fault_id}", response_model=EnvironmentInfo)
async def replace_fault(
    environment: EnvironmentDependency, session_id: str, fault_id: str, fault: FaultInput
) -> Response:
    """Replace a pending fault by another one."""
    return json_response(await environment.replace_fault(session_id, fault_id, fault))


@action_api.delete("/environment/faults/{fault_id}", response_model=EnvironmentInfo)
async def remove_fault(environment: EnvironmentDependency, session_id: str, fault_id: str) -> Response:
    """Remove a pending fault."""
    return json_response(await environment.remove_fault(session_id, fault_id))


@action_api.post("/export", response_model=ExportResult)
async def export_session(exporter: ExporterDependency, session_id: str, request: ExportRequest) -> Response:
    """Write the session to a file, by default the one that the agent's config names."""
    return json_response(await exporter.export_session(session_id, request))


@action_api.post("/export/preview", response_model=ExportPreview)
async def preview_export(exporter: ExporterDependency, session_id: str, request: ExportRequest) -> Response:
    """Return what an export would write, and what it leaves out; nothing is written."""
    return json_response(await exporter.preview_export(session_id, request))


@action_api.post("/exports", response_model=OperationResult)
async def record_export(exporter: ExporterDependency, session_id: str, export: WrittenExport) -> Response:
    """Record an export that a command has written to a file of its own, so that the session is shown as exported."""
    return json_response(await exporter.record_export(session_id, export))

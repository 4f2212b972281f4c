"""What a person does as the user of an agent: start a session, send messages, stop a run, answer ADK's requests."""

from __future__ import annotations

from collections.abc import Sequence

from adk_agent_sim.adk.runs.agent_run import AgentRun
from adk_agent_sim.adk.runs.pause_answers import (
    AnswerMessage,
    build_consent_message,
    build_credential_answer,
    build_input_answer,
)
from adk_agent_sim.adk.runs.user_message import MessageValue, attach_files, build_user_message
from adk_agent_sim.errors import AgentNotLocal, ForkRefused, InvalidTransition, NotFound
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.read_model.pending_requests import RequestKind
from adk_agent_sim.timeline.strict_json import dump_json
from adk_agent_sim.use_cases.open_session import OpenSession
from adk_agent_sim.use_cases.record import OperationResult


async def start_session(run: AgentRun) -> OperationResult:
    """Start the session of a run that was prepared; raise InvalidTransition if that was done before."""
    await run.open()
    return await OpenSession(run.timeline, run.recorded_session.session_id, run).build_result()


async def send_message(
    session: OpenSession,
    message: MessageValue,
    files: Sequence[tuple[str, str, bytes]] = (),
    *,
    force: bool = False,
) -> OperationResult:
    """Start a run with a user message.

    Args:
        session: The session.
        message: Text, data for an agent with an input_schema, or a content, which is not validated.
        files: The name, MIME type and bytes of each file that is attached.
        force: Send it although it does not match the input_schema.

    Raises:
        AgentNotLocal: The agent does not run here.
        InvalidMessage: The message does not match the agent's input schema.
        InvalidTransition: The message is empty, or a run is going on.
    """
    run = session.require_run("send a message")
    if isinstance(message, str) and not message.strip() and not files:
        raise InvalidTransition("The message is empty: write something, or add a file.")
    content = build_user_message(run.root_agent, message, force=force)
    await run.start(attach_files(content, files) if files else content)
    return await session.build_result()


async def stop_run(session: OpenSession) -> OperationResult:
    """Cancel the current run; another message continues the session.

    Raises:
        AgentNotLocal: The agent does not run here.
        InvalidTransition: No run is going on.
    """
    if not await session.require_run("stop a run").stop():
        raise InvalidTransition("There is no run to stop.")
    return await session.build_result()


async def answer_consent(
    session: OpenSession, request_id: str, *, approve: bool, payload: object = None
) -> OperationResult:
    """Approve or deny the call that asks for consent; the run continues.

    Args:
        session: The session.
        request_id: The request, the oldest of its kind.
        approve: Whether the call may run.
        payload: What the tool asked for, if it asked for something.

    Raises:
        NotFound: No call waits for this consent.
        AgentNotLocal: The agent ended with an earlier process.
        ForkRefused: The agent's process cannot be told to continue.
    """
    pending = (await session.timeline.get_summary(session.session_id)).pending
    consents = [request.request_id for request in pending.values() if request.kind is RequestKind.CONSENT]
    if consents[:1] != [request_id]:
        raise NotFound("No call is waiting for this confirmation; it may have been answered already.")
    message = build_consent_message(request_id, approve=approve, payload=payload)
    return await _send_answer(session, message, "answer a confirmation")


async def answer_request(
    session: OpenSession, request_id: str, value: object, *, force: bool = False
) -> OperationResult:
    """Give the input or the credential that a request asks for; the run continues.

    Args:
        session: The session.
        request_id: The request.
        value: The input, or the credential, which is not recorded; None simulates a sign-in.
        force: Send input although it does not match the schema of the request.

    Raises:
        NotFound: The request does not wait for an answer.
        AgentNotLocal: The agent ended with an earlier process.
        ForkRefused: The agent's process cannot be told to continue.
        InvalidInput: The input does not match the schema of the request.
        InvalidCredential: The credential does not have the fields of the auth scheme.
    """
    request = (await session.timeline.get_summary(session.session_id)).pending.get(request_id)
    if request is None or request.is_inside_run:
        raise NotFound("This request does not wait for an answer; it may have been answered already.")
    arguments = await session.read_request_arguments(request)
    if request.kind is RequestKind.CREDENTIAL:
        message = build_credential_answer(request_id, arguments, value)
    else:
        message = build_input_answer(request_id, arguments, value, force=force)
    return await _send_answer(session, message, "answer a request")


async def _send_answer(session: OpenSession, message: AnswerMessage, action: str) -> OperationResult:
    """Continue a paused run with the user's answer, here or in the agent's own process."""
    if session.run is not None:
        await session.run.start(message)
    elif not session.may_be_remote:
        raise AgentNotLocal(session.session_id, action)
    elif session.process is None:
        raise ForkRefused(session.answer_problem)
    else:
        await session.process.resume(session.session_id, dump_json(to_json_value(message)))
    return await session.build_result()

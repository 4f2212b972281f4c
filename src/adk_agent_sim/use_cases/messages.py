"""What a person does as the user of an agent: start a session, send messages, stop the run that answers them."""

from __future__ import annotations

from collections.abc import Sequence

from adk_agent_sim.adk.runs.agent_run import AgentRun
from adk_agent_sim.adk.runs.user_message import MessageValue, attach_files, build_user_message
from adk_agent_sim.errors import InvalidTransition
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

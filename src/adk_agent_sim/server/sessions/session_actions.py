"""What a person does in a session other than play its model: send messages, confirm and cancel calls, stop, note."""

from __future__ import annotations

import binascii
import re
from base64 import b64decode

from adk_agent_sim.adk.runs.user_message import attach_files, build_consent_message, build_user_message
from adk_agent_sim.errors import InvalidTransition, MalformedValue, NotFound
from adk_agent_sim.server.sessions.decision_api_models import ConfirmationInput, FilePart, UserMessage
from adk_agent_sim.server.sessions.pause_actions import PauseActions
from adk_agent_sim.server.sessions.pause_api_models import PauseAnswerInput
from adk_agent_sim.server.sessions.row_api_models import Row, to_api_row
from adk_agent_sim.server.sessions.session_api_models import SessionDetail, StateEdit
from adk_agent_sim.server.sessions.session_directory import SessionDirectory
from adk_agent_sim.server.sessions.session_runs import SessionRuns
from adk_agent_sim.timeline.json_input import parse_json_input, parse_json_object_input
from adk_agent_sim.timeline.read_model.pending_requests import RequestKind
from adk_agent_sim.timeline.strict_json import dump_json
from adk_agent_sim.timeline.timeline import Timeline

_MIME_TYPE = re.compile(r"[a-z0-9][a-z0-9!#$&^_.+-]{0,126}/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}", re.ASCII | re.IGNORECASE)


class SessionActions:
    """Acts in sessions whose agents run in this process; remote calls can be cancelled, and any row can have a note."""

    def __init__(
        self, timeline: Timeline, runs: SessionRuns, directory: SessionDirectory, pauses: PauseActions
    ) -> None:
        self._timeline = timeline
        self._runs = runs
        self._directory = directory
        self._pauses = pauses

    async def send_message(self, session_id: str, message: UserMessage) -> SessionDetail:
        """Start a run with a user message.

        Raises:
            InvalidTransition: The message is empty, or a run is going on.
            InvalidMessage: The message does not match the agent's input schema.
        """
        await self._timeline.get_summary(session_id)
        run = self._runs.require(session_id, "send a message")
        files = [(file.name, file.mime_type, _decode_file(file)) for file in message.files]
        json_text = message.json_text
        if json_text is None and not message.text.strip() and not files:
            raise InvalidTransition("The message is empty: write something, or add a file.")
        text = message.text if json_text is None else dump_json(parse_json_input(json_text, "The message"))
        content = build_user_message(run.root_agent, text, anyway=message.anyway)
        await run.start(attach_files(content, files))
        return await self._directory.get_detail(session_id)

    async def answer_confirmation(self, session_id: str, confirmation: ConfirmationInput) -> SessionDetail:
        """Approve or deny the call that asks for confirmation.

        Raises:
            NotFound: No call waits for this confirmation.
        """
        summary = await self._timeline.get_summary(session_id)
        consents = [request.request_id for request in summary.pending.values() if request.kind is RequestKind.CONSENT]
        if consents[:1] != [confirmation.question_id]:
            raise NotFound("No call is waiting for this confirmation; it may have been answered already.")
        payload = parse_json_input(confirmation.payload, "The payload") if confirmation.payload is not None else None
        message = build_consent_message(confirmation.question_id, approve=confirmation.approve, payload=payload)
        await self._pauses.send(session_id, message, "answer a confirmation")
        return await self._directory.get_detail(session_id)

    async def answer_pause(self, session_id: str, request_id: str, answer: PauseAnswerInput) -> SessionDetail:
        """Give the input or the credential that a paused agent asks for; see `PauseActions`."""
        await self._pauses.answer(session_id, request_id, answer)
        return await self._directory.get_detail(session_id)

    async def cancel_call(self, session_id: str, call_id: str) -> SessionDetail:
        """Cancel one running call; the model gets the cancellation as the call's result.

        Raises:
            NotFound: No such call is running.
        """
        await self._timeline.get_summary(session_id)
        if self._runs.allow_remote_agents and session_id not in self._runs:
            await self._timeline.cancel_call(session_id, call_id)
        elif not self._runs.require(session_id, "cancel a call").recorded_session.running_calls.cancel(call_id):
            raise NotFound("The call is not running; it may have ended already.")
        return await self._directory.get_detail(session_id)

    async def stop_run(self, session_id: str) -> SessionDetail:
        """Cancel the current run; another message continues the session.

        Raises:
            InvalidTransition: No run is going on.
        """
        await self._timeline.get_summary(session_id)
        if not await self._runs.require(session_id, "stop a run").stop():
            raise InvalidTransition("There is no run to stop.")
        return await self._directory.get_detail(session_id)

    async def edit_state(self, session_id: str, edit: StateEdit) -> SessionDetail:
        """Set keys of the session state, between two runs or while a turn waits.

        Raises:
            MalformedValue: The changes are no JSON object.
            InvalidTransition: A run is going on that waits for no decision, or nothing is to be set.
            ForkRefused: The agent runs in another process, which cannot do it, or not now.
        """
        await self._timeline.get_summary(session_id)
        changes = parse_json_object_input(edit.changes, "The state")
        if self._runs.allow_remote_agents and session_id not in self._runs:
            await self._pauses.edit_remote_state(session_id, changes)
        else:
            await self._runs.require(session_id, "edit the state").edit_state(changes)
        return await self._directory.get_detail(session_id)

    async def note_row(self, session_id: str, index: int, text: str) -> Row:
        """Put a note on a row in place of the one that it has; a text without visible characters removes it.

        Raises:
            NotFound: The session has no such row.
        """
        await self._timeline.note_row(session_id, index, text.strip())
        (row,) = await self._timeline.read_rows(session_id, index, 1)
        return to_api_row(row, is_live=self._runs.is_playable(session_id))


def _decode_file(file: FilePart) -> bytes:
    label = f"The file {file.name[:100]!r}"
    if not _MIME_TYPE.fullmatch(file.mime_type):
        raise MalformedValue(label, f"{file.mime_type[:100]!r} is not a MIME type")
    try:
        return b64decode(file.data, validate=True)
    except (binascii.Error, ValueError) as error:
        raise MalformedValue(label, f"it is not base64: {error}") from None

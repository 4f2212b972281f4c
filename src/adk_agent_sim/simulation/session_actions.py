"""What a person does in the session of a simulation, by the use cases, each answered with the step that follows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Self

from adk_agent_sim.adk.runs.user_message import MessageValue
from adk_agent_sim.adk.steps.steps import Step
from adk_agent_sim.adk.steps.stepwise_run import StepwiseRun
from adk_agent_sim.errors import NotFound
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.submissions import ToolResponse
from adk_agent_sim.use_cases import messages, state, turns
from adk_agent_sim.use_cases.open_session import OpenSession


class SessionActions(StepwiseRun):
    """Acts in the session of a simulation."""

    async def start(self) -> Self:
        """Open the session. `async with` does this for you; in a notebook, await it in a cell of its own."""
        await messages.start_session(self.agent_run)
        return self

    def open_session(self) -> OpenSession:
        """Return the session, for the use cases."""
        return OpenSession(self.timeline, self.session_id, self.agent_run)

    async def send(self, message: MessageValue, *, force: bool = False) -> Step:
        """Send a user message and return the next step.

        Args:
            message: Text, a `types.Content`, or data for an agent with an input_schema.
            force: Send it even if it does not fit the input_schema.
        """
        await messages.send_message(self.open_session(), message, force=force)
        return await self.next()

    async def decide(self, turn_id: str, response: Json, *, force: bool = False) -> Step:
        """Decide a turn with an `LlmResponse` as JSON; the methods of `ModelTurn` are more convenient."""
        await turns.decide_turn(self.open_session(), turn_id, response, force=force)
        return await self.next()

    async def respond_as_tool(self, response: ToolResponse) -> Step:
        """Give the response of a tool that you play; the methods of `ToolTurn` are more convenient."""
        await turns.respond_as_tool(self.open_session(), response)
        return await self.next()

    async def answer_consent(self, request_id: str, *, approve: bool, payload: Any = None) -> Step:
        """Approve or deny a call; the methods of `Confirmation` are more convenient."""
        await messages.answer_consent(self.open_session(), request_id, approve=approve, payload=payload)
        return await self.next()

    async def answer_request(self, request_id: str, value: Any, *, force: bool = False) -> Step:
        """Give input or a credential; the methods of `InputRequest` and `CredentialRequest` are more convenient."""
        await messages.answer_request(self.open_session(), request_id, value, force=force)
        return await self.next()

    async def answer(self, value: Any, *, force: bool = False) -> Step:
        """Answer, as the user, the oldest request of ADK that waits: for input, a credential, or consent.

        Args:
            value: The input; the credential's fields, or its one text; True or False for consent.
            force: Send input even if it does not match the schema of the request.

        Raises:
            InvalidTransition: The agent waits for something else.
            InvalidInput: The input does not match the schema.
            InvalidCredential: The credential does not have the fields of the auth scheme.
        """
        return await (await self.next()).answer(value, force=force)

    def cancel(self, call_id: str) -> bool:
        """Cancel one running tool call. The model gets an error response, and the run continues.

        Returns:
            False if the call is not running.
        """
        return self.agent_run.recorded_session.running_calls.cancel(call_id)

    async def set_state(self, changes: Mapping[str, Any]) -> None:
        """Set keys of the session state, between two runs or while a turn waits; the timeline marks the edit.

        The turn that waits has its request already; the tools that it calls and later turns see the edit.

        Edits before the first message are part of a golden trace's initial state; `adk eval` does not repeat others.

            await sim.set_state({"mood": "calm"})

        Raises:
            InvalidTransition: A run is going on that waits for no decision.
        """
        await state.edit_state(self.open_session(), changes)

    async def note(self, seq: int, text: str) -> None:
        """Put a note on a row of the timeline, which people see there and in the report; no golden trace has it.

        Args:
            seq: The `seq` of an event of `log`, such as a `ToolStarted`; the first row that shows it gets the note.
            text: The note; it replaces the one that the row has, and an empty one removes it.

        Raises:
            NotFound: No row of the timeline shows the event.
        """
        summary = await self.timeline.get_summary(self.session_id)
        for row in await self.timeline.read_rows(self.session_id, 0, summary.row_count):
            if any(source.seq == seq for source in row.sources):
                await self.timeline.note_row(self.session_id, row.index, text)
                return
        raise NotFound(f"No row of the timeline shows event {seq}: pass the seq of another event of log().")

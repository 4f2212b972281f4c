"""Keeps the user's credentials from the timeline (a link) and from ADK's database of sessions (a session service).

Runner --> MaskingSessionService --> the user's session service
           (credentials in memory)   (`not recorded` in their place)
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from google.adk.auth.auth_credential import AuthCredential
from google.adk.events import Event as AdkEvent
from google.adk.sessions import BaseSessionService, Session
from google.adk.sessions.base_session_service import GetSessionConfig, ListSessionsResponse
from google.genai import types

from adk_agent_sim.link.link import Link
from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.content_parts import as_mapping
from adk_agent_sim.timeline.events import AgentEvent, Event, Payload, ToolFinished, UserSpoke
from adk_agent_sim.timeline.framework_calls import REQUEST_CREDENTIAL
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.model_request import RequestBlocks
from adk_agent_sim.timeline.read_model.pending_requests import asks_for_credential
from adk_agent_sim.timeline.redaction.credential_mask import CredentialMask, describe_answer
from adk_agent_sim.timeline.submissions import EventBatch, ToolRequest, TurnDecision, TurnRequest


class MaskingSessionService(BaseSessionService):
    """Delegates to a session service, but keeps the user's answers to requests for credentials in memory only.

    ADK reads an answer from the session's events: in the run that it starts, and again whenever a workflow resumes. So
    every session that is read here has the answers that were given here.
    """

    def __init__(self, inner: BaseSessionService) -> None:
        self.inner = inner
        self._answers: dict[str, AdkEvent] = {}
        """The events with credentials, by their ids."""

    async def create_session(
        self, *, app_name: str, user_id: str, state: dict[str, Any] | None = None, session_id: str | None = None
    ) -> Session:
        """Create a session."""
        return await self.inner.create_session(app_name=app_name, user_id=user_id, state=state, session_id=session_id)

    async def get_session(
        self, *, app_name: str, user_id: str, session_id: str, config: GetSessionConfig | None = None
    ) -> Session | None:
        """Return a session, with the answers of its user."""
        session = await self.inner.get_session(app_name=app_name, user_id=user_id, session_id=session_id, config=config)
        if session is not None and self._answers:
            self._restore_answers(session)
        return session

    async def list_sessions(self, *, app_name: str, user_id: str | None = None) -> ListSessionsResponse:
        """List sessions, without their events."""
        return await self.inner.list_sessions(app_name=app_name, user_id=user_id)

    async def delete_session(self, *, app_name: str, user_id: str, session_id: str) -> None:
        """Delete a session."""
        await self.inner.delete_session(app_name=app_name, user_id=user_id, session_id=session_id)

    async def get_user_state(self, *, app_name: str, user_id: str) -> dict[str, Any]:
        """Return the state that all sessions of a user share."""
        return await self.inner.get_user_state(app_name=app_name, user_id=user_id)

    async def append_event(self, session: Session, event: AdkEvent) -> AdkEvent:
        """Append an event; the service behind this one gets it without credentials."""
        masked = _mask_answers(event.content)
        if masked is None:
            return await self.inner.append_event(session, event)
        stored = await self.inner.append_event(session, event.model_copy(update={"content": masked}))
        # The service may have changed more of the event, such as its state delta.
        given = stored.model_copy(update={"content": event.content})
        self._answers[given.id] = given
        # The service has added the masked event to the session of the run, which reads the credential from there.
        self._restore_answers(session)
        return given

    async def flush(self) -> None:
        """Write what the service behind this one has not written yet."""
        await self.inner.flush()

    def __getattr__(self, name: str) -> Any:
        """Return what only the service behind this one has, for agents that use it."""
        return getattr(self.inner, name)

    def _restore_answers(self, session: Session) -> None:
        session.events[:] = [self._answers.get(event.id, event) for event in session.events]


def _mask_answers(content: types.Content | None) -> types.Content | None:
    """Return the content without the credentials in it; None if there are none."""
    parts = (content.parts if content is not None else None) or []
    if content is None or not any(map(_is_answer, parts)):
        return None
    return content.model_copy(update={"parts": [_mask_part(part) if _is_answer(part) else part for part in parts]})


def _is_answer(part: types.Part) -> bool:
    return part.function_response is not None and part.function_response.name == REQUEST_CREDENTIAL


def _mask_part(part: types.Part) -> types.Part:
    assert part.function_response is not None  # noqa: S101 - only answers are masked
    response = describe_answer(part.function_response.response)
    answer = part.function_response.model_copy(update={"response": response})
    return part.model_copy(update={"function_response": answer})


class MaskingLink:
    """The outermost link of a session: the replay of a run compares what was masked with what is masked."""

    def __init__(self, link: Link) -> None:
        self.inner = link
        self.mask = CredentialMask()

    def learn_credentials(self, state: Mapping[str, Any]) -> None:
        """Mask the tokens that ADK got in exchange for what the user gave.

        ADK keeps them in the temporary part of the state, which is in no event.
        """
        if self.mask.is_active:
            for value in state.values():
                self.mask.learn_credentials(to_json_value(value) if isinstance(value, AuthCredential) else value)

    def mask_state(self, state: Mapping[str, Any]) -> dict[str, Json]:
        """Return the state as JSON, as a page may show it: without the credentials of the user."""
        self.learn_credentials(state)
        shown = to_json_value(state)
        return self.mask.mask(shown) if self.mask.is_active else shown

    async def append(self, batch: EventBatch) -> object:
        """Append events without credentials."""
        payloads = [
            replace(payload, content=self.mask.mask_message(payload.content))
            if isinstance(payload, UserSpoke)
            else payload
            for payload in batch.payloads
        ]
        if any(_asks_for_credential(payload) for payload in payloads):
            self.mask.is_active = True
        # Most sessions have no credentials: by identity, their batches are recognized without comparing contents.
        if not self.mask.is_active and all(map(operator.is_, payloads, batch.payloads)):
            return await self.inner.append(batch)
        if self.mask.is_active:
            payloads = [self.mask.mask_payload(payload) for payload in payloads]
        return await self.inner.append(replace(batch, payloads=payloads))

    async def ask(self, turn: TurnRequest) -> object:
        """Submit a model call without credentials."""
        if self.mask.is_active:
            turn = replace(turn, request=self._mask_request(turn.request))
        return await self.inner.ask(turn)

    async def decide(self, decision: TurnDecision) -> object:
        """Submit the decision of a turn without credentials."""
        if self.mask.is_active:
            decision = replace(decision, response=self.mask.mask(decision.response))
        return await self.inner.decide(decision)

    async def wait_for_decision(self, session_id: str, turn_id: str) -> Event:
        """Wait for the decision of a turn and return its event."""
        return await self.inner.wait_for_decision(session_id, turn_id)

    async def withdraw(self, session_id: str, turn_id: str) -> object:
        """Withdraw a turn."""
        return await self.inner.withdraw(session_id, turn_id)

    async def ask_tool(self, request: ToolRequest) -> object:
        """Submit a tool call, without credentials, whose response a person must give."""
        if self.mask.is_active:
            asked = replace(request.asked, arguments=self.mask.mask(request.asked.arguments))
            request = replace(request, asked=asked)
        return await self.inner.ask_tool(request)

    async def wait_for_tool_response(self, session_id: str, request_id: str) -> Event:
        """Wait for the response of a person to a tool call and return its event."""
        return await self.inner.wait_for_tool_response(session_id, request_id)

    async def listen(self, session_id: str, listener: Callable[[Event], None]) -> Callable[[], None]:
        """Call `listener` with every new event of a session; returns a function that unsubscribes it."""
        return await self.inner.listen(session_id, listener)

    def _mask_request(self, request: RequestBlocks) -> RequestBlocks:
        return replace(
            request,
            contents=[self._mask_block(block) for block in request.contents],
            instruction=self._mask_block(request.instruction),
            config=self._mask_block(request.config),
        )

    def _mask_block(self, block: Block) -> Block:
        data = self.mask.mask_data(block.data)
        return block if data == block.data else Block.from_data(data)


def _asks_for_credential(payload: Payload) -> bool:
    """Return whether a tool asks for a credential, or ADK passes that on to the user."""
    match payload:
        case ToolFinished(actions=actions):
            return "requested_auth_configs" in actions
        case AgentEvent(event=emitted) as agent_event:
            has_config = "requested_auth_configs" in as_mapping(emitted.get("actions"))
            return has_config or asks_for_credential(agent_event)
        case _:
            return False

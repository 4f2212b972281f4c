"""A link that keeps the user's credentials from the timeline, whatever is on the other side of it."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from google.adk.auth.auth_credential import AuthCredential

from adk_agent_sim.link.link import Link
from adk_agent_sim.timeline.blocks import Block
from adk_agent_sim.timeline.canonical_json import Json
from adk_agent_sim.timeline.content_parts import as_mapping
from adk_agent_sim.timeline.events import AgentEvent, Event, Payload, ToolFinished, UserSpoke
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.model_request import RequestBlocks
from adk_agent_sim.timeline.read_model.pause_requests import asks_for_credential
from adk_agent_sim.timeline.redaction.credential_mask import CredentialMask
from adk_agent_sim.timeline.submissions import EventBatch, ToolRequest, TurnDecision, TurnRequest


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
            self.mask.activate()
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

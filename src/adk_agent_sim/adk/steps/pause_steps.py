"""The steps at which ADK has paused the agent and asks the user: for input, or for a credential."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from google.adk.events import Event as AdkEvent
from google.genai import types

from adk_agent_sim.adk.runs.credential_forms import CredentialForm, read_credential_form
from adk_agent_sim.adk.runs.pause_answers import (
    get_auth_config,
    get_input_request_schema,
    get_message_text,
)
from adk_agent_sim.adk.steps.steps import Confirmation, Step, StepTarget
from adk_agent_sim.forms.json_schema import JsonSchema
from adk_agent_sim.timeline.read_model.pending_requests import PendingRequest, RequestKind


@dataclass(frozen=True, eq=False, repr=False)
class InputRequest(Step):
    """A workflow, or the model, asks the user for input."""

    _target: StepTarget
    question: types.FunctionCall
    """ADK's request call; its arguments contain the message, the payload and the schema."""

    def __str__(self) -> str:
        return "the user must give the input that was asked for"

    @property
    def message(self) -> str:
        """What the user is asked; empty if the request has no text."""
        return get_message_text(self.question.args or {})

    @property
    def payload(self) -> Any:
        """The data that the request shows the user; None without any."""
        return (self.question.args or {}).get("payload")

    @property
    def response_schema(self) -> JsonSchema | None:
        """The JSON Schema of the input; None if anything is accepted."""
        return get_input_request_schema(self.question.args or {})

    async def answer(self, value: Any, *, force: bool = False) -> Step:
        """Give the input; it must match the schema of the request, unless `force`."""
        return await self._target.answer_request(self.question.id or "", value, force=force)


@dataclass(frozen=True, eq=False, repr=False)
class CredentialRequest(Step):
    """A tool, a toolset or a workflow asks for the user's credential."""

    _target: StepTarget
    question: types.FunctionCall
    """ADK's request call; its arguments contain the auth config."""

    def __str__(self) -> str:
        return f"the user must sign in: {self.form.title}"

    @property
    def form(self) -> CredentialForm:
        """The fields of the auth scheme."""
        return read_credential_form(self.auth_config)

    @property
    def auth_config(self) -> Mapping[str, Any]:
        """ADK's auth config as JSON."""
        return get_auth_config(self.question.args or {})

    async def answer(self, value: Any, *, force: bool = False) -> Step:
        """Give the credential, which is not recorded.

        Args:
            value: The fields of the auth scheme, such as `{"username": ..., "password": ...}`; one text if it needs
                only one, such as an API key; or an ADK `AuthCredential`.
            force: Without effect: ADK accepts only credentials of the scheme.
        """
        return await self._target.answer_request(self.question.id or "", value)

    async def sign_in(self) -> Step:
        """Simulate that the user has signed in, with a credential that no service accepts."""
        return await self._target.answer_request(self.question.id or "", None)


def build_pause_step(
    target: StepTarget, pending: Iterable[PendingRequest], events: Sequence[AdkEvent]
) -> Confirmation | InputRequest | CredentialRequest | None:
    """Return the oldest request that waits for the user; None if none does."""
    for request in sorted(pending, key=lambda each: each.position):
        question = _find_call(events, request.request_id)
        if question is None:
            continue
        match request.kind:
            case RequestKind.CONSENT:
                return Confirmation(target, question)
            case RequestKind.INPUT:
                return InputRequest(target, question)
            case RequestKind.CREDENTIAL:
                return CredentialRequest(target, question)
            case _:
                pass
    return None


def _find_call(events: Sequence[AdkEvent], call_id: str) -> types.FunctionCall | None:
    """Return the newest call with an id: workflows may use one again."""
    for event in reversed(events):
        for call in event.get_function_calls():
            if call.id == call_id:
                return call
    return None

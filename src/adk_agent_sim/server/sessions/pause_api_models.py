"""The messages of the web API about requests of ADK that the user answers: for input, or for a credential."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from adk_agent_sim.use_cases.record import Record


class PendingPause(Record):
    """What a paused agent asks the user for."""

    kind: Literal["input", "credential"]
    request_id: str
    agent_name: str = Field(description="The agent or workflow that asks")
    message: str = Field(description="What the user is told; empty if nothing")
    payload: str | None = Field(default=None, description="The data that the request shows the user, as JSON text")
    response_schema: dict[str, Any] | None = Field(
        description="The JSON Schema of the input, or of the credential's fields; None if any input is accepted"
    )
    title: str = Field(default="", description="The auth scheme in words; empty for input")
    auth_uri: str = Field(default="", description="Where a real user would sign in; empty if nowhere")


class PauseAnswerInput(Record):
    """The user's answer. A credential is passed on to the agent, and neither stored nor logged."""

    value: str | None = Field(
        default=None, description="The input, or the fields of the credential, as JSON text; None simulates a sign-in"
    )
    force: bool = Field(default=False, description="Send input although it does not match the schema")

"""The messages of the web API by which a person acts: as the user, as the model, and in forms."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from adk_agent_sim.use_cases.record import Record
from adk_agent_sim.use_cases.turns import CallInput


class FilePart(Record):
    """A file attached to a user message."""

    name: str
    mime_type: str
    data: str = Field(description="The bytes in base64")


class UserMessage(Record):
    """A user message: text, or JSON data for an agent with an input_schema, and files."""

    text: str = ""
    json_text: str | None = Field(default=None, description="JSON text that is checked against the input_schema")
    files: list[FilePart] = Field(default_factory=list[FilePart])
    force: bool = Field(default=False, description="Send it although it does not match the schema")


class DecisionInput(Record):
    """A person's decision as the model: calls with or without text, or a final response."""

    decision_id: str = Field(min_length=8, max_length=100)
    calls: list[CallInput] = Field(default_factory=list[CallInput])
    text: str | None = Field(default=None, description="The final response, or the text that accompanies the calls")
    json_text: str | None = Field(
        default=None, description="The final response as JSON text, if there is an output_schema"
    )
    force: bool = Field(default=False, description="Decide although a tool is not offered or arguments are invalid")


class ConfirmationInput(Record):
    """The user's answer to a confirmation."""

    question_id: str
    approve: bool
    payload: str | None = Field(default=None, description="JSON text, if the tool expects a payload")


class ToolResponseInput(Record):
    """What a person responds as a tool: a result, or an exception."""

    decision_id: str = Field(min_length=8, max_length=100)
    result: str = Field(default="null", description="What the tool returns, as JSON text")
    error_type: str = Field(
        default="",
        max_length=100,
        pattern=r"^([A-Za-z_][A-Za-z0-9_]*)?$",
        description="The class name of the exception that the tool raises; empty if it returns",
    )
    error_message: str = Field(default="", max_length=10_000)
    force: bool = Field(default=False, description="Send it although it does not match the tool's output schema")


class CheckInput(Record):
    """A form to check: the arguments of a call, a message, a final response, the result of a tool, or input."""

    target: Literal["call", "message", "answer", "result", "input"]
    tool_name: str = ""
    value: str = Field(description="JSON text")

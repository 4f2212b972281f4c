"""The messages of the web API about agents: what can be played, and what its model is given."""

from __future__ import annotations

from enum import StrEnum
from typing import Any

from pydantic import Field

from adk_agent_sim.use_cases.record import Record


class LoadStatus(StrEnum):
    """Whether the code of an agent is loaded."""

    LOADED = "loaded"
    NOT_LOADED = "not_loaded"
    """It is loaded when the agent is first opened."""
    LOADING = "loading"
    FAILED = "failed"


class ToolInfo(Record):
    """A tool as it is offered to the model."""

    name: str
    description: str
    parameters: dict[str, Any] = Field(description="The schema of the arguments, normalized to JSON Schema")
    response_schema: dict[str, Any] | None = Field(default=None, description="The schema of the result, if declared")
    asks_for_consent: bool = Field(
        default=False, description="Whether a call may ask the user for consent; False if that is not known"
    )


class InstructionPart(Record):
    """A part of an instruction."""

    text: str
    is_from_adk: bool = Field(description="Whether ADK added it, rather than the agent's author")


class AgentInfo(Record):
    """An agent that can be played."""

    key: str = Field(description="Identifies the agent in the API")
    name: str = Field(description="The display name")
    description: str
    model: str = Field(description="The agent's own model; empty if it has none")
    tools: list[str]
    sub_agents: list[str] = Field(description="The names of its sub-agents")
    eval_set_path: str
    eval_case_count: int | None = Field(description="The number of cases in the EvalSet; None if it does not exist yet")
    eval_set_problem: str = Field(default="", description="Why the EvalSet file cannot be appended to; empty if it can")
    problem: str = Field(default="", description="Why its tools did not load; empty if they did")
    state_keys: list[str] = Field(
        default_factory=list[str], description="The keys of the session state that its instructions need"
    )
    load_status: LoadStatus = Field(
        default=LoadStatus.LOADED, description="Whether its code is loaded; most of this is known only then"
    )
    load_problem: str = Field(default="", description="Why its code cannot be loaded; empty if that is not known")
    load_advice: str = Field(default="", description="What to do about it")
    load_trace: str = Field(default="", description="The lines of its code that led there")
    revision: int = Field(default=0, description="Counts the changes of its code since the server started")


class Briefing(Record):
    """The agent's instruction, tools and schemas, in a turn or before the first one."""

    agent_name: str
    instruction: str
    instruction_parts: list[InstructionPart] = Field(
        default_factory=list[InstructionPart], description="The instruction, divided by who wrote it"
    )
    is_template: bool = Field(
        default=False, description="Whether the instruction has variables that are filled when the agent runs"
    )
    tools: list[ToolInfo]
    input_schema: dict[str, Any] | None = Field(description="The schema of a user message; None: any text")
    output_schema: dict[str, Any] | None = Field(description="The schema of a final response; None: any text")
    model: str = Field(description="The agent's own model; empty if there is none that can be asked here")
    problem: str = Field(default="", description="Why the tools did not load; empty if they did")
    note: str = Field(default="", description="Why no instruction and no tools are known, if that is no error")


class RequestInfo(Record):
    """The exact request of a turn, as the model would receive it."""

    request: dict[str, Any]
    character_count: int
    token_estimate: int = Field(description="A rough estimate: a quarter of the characters")

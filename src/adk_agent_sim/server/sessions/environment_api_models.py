"""The messages of the web API about the simulated environment of a session: its rules, profiles and faults."""

from __future__ import annotations

from pydantic import Field

from adk_agent_sim.environment.rules import SeatName
from adk_agent_sim.environment.tool_choices import ConfiguredMock, ToolPlayer
from adk_agent_sim.use_cases.record import Record


class RuleInfo(Record):
    """A rule of the simulated environment."""

    name: str
    seat: SeatName = Field(description="Whose calls it applies to: those of tools, or of the model")
    tools: list[str] = Field(description="The tools whose calls it applies to; empty for the model")
    conditions: list[str] = Field(description="Descriptions of what a call must meet besides the tool's name")
    actions: list[str] = Field(description="Descriptions of what it does")
    effects: list[str] = Field(description="What it does in the format of rules files, each action as JSON text")
    enabled: bool
    profiles: list[str] = Field(description="The profiles in which it is used; empty if in all")
    tried_count: int = Field(description="How many calls it was compared with")
    fired_count: int = Field(description="How many calls it answered")


class FaultInfo(Record):
    """A fault that is pending for the next call of a tool, or of the model."""

    fault_id: str
    seat: SeatName
    tool_name: str = Field(description="The tool; empty for the model")
    action: str = Field(description="The action in the format of rules files, as JSON text")
    description: str = Field(description="What happens to the call")


class EnvironmentInfo(Record):
    """The simulated environment of a session, which can answer tool calls instead of the tools."""

    rules: list[RuleInfo]
    pending_faults: dict[str, int] = Field(
        description="How many faults are pending for the next calls, by tool; `(model)` is the model"
    )
    faults: list[FaultInfo] = Field(description="The faults that are pending, in the order in which they are used")
    exceptions: list[str] = Field(description="The exceptions that a fault can raise")
    profile: str | None = Field(description="The active profile of the rules; None if there is none")
    profiles: list[str] = Field(description="The profiles of the rules")
    tool_players: dict[str, ToolPlayer] = Field(
        description="Who plays the tools for which that was chosen in this session, by tool"
    )
    configured_mocks: dict[ConfiguredMock, str] = Field(
        description="The mocks with a model or a recording that the session's rules or settings name, and what they use"
    )
    refuses_real_tools: bool = Field(description="Whether no tool may run for real, so that no tool can be switched to")
    is_played_by_person: bool = Field(
        description="Whether a person plays the models: then rules and faults for the model's seat act only on turns "
        "that are left to the agent's own model"
    )


class RuleSwitchInput(Record):
    """A request to switch a rule on or off, for this session and from the next call on."""

    rule: str
    enabled: bool


class ProfileSwitchInput(Record):
    """A request to make another profile of the rules the active one, for this session and from the next call on."""

    profile: str | None = Field(description="None: no profile, so that only rules without one are used")


class ToolSwitchInput(Record):
    """A request to choose who plays a tool, for this session and from the next call on."""

    tool_name: str = Field(max_length=200)
    player: ToolPlayer = Field(
        description="rules: whoever the rules say; real: the tool itself; human: a person; else a mock, of which "
        "llm and replay must be among the configured mocks of the session"
    )


class FaultInput(Record):
    """A request to inject a fault into the next call of a tool, or of the model."""

    seat: SeatName = "tool"
    tool_name: str = Field(default="", max_length=200, description="The tool; empty for the model")
    action: str = Field(description="An action in the format of rules files, as JSON text")

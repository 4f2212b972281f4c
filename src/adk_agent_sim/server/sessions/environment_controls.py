"""The simulated environment of a session whose agent runs in this process, as a person sees and changes it."""

from __future__ import annotations

from pydantic import Field, TypeAdapter, ValidationError

from adk_agent_sim.adk.loading.tool_catalog import build_tool_catalog
from adk_agent_sim.adk.runs.agent_run import AgentRun
from adk_agent_sim.environment.actions import ActionEntry, AnyAction
from adk_agent_sim.environment.rule_finding import suggest_closest
from adk_agent_sim.environment.rules import SeatName
from adk_agent_sim.environment.tool_choices import ConfiguredMock, ToolPlayer
from adk_agent_sim.errors import InvalidFault, MalformedValue, NotFound, ToolsetUnavailable
from adk_agent_sim.timeline.events import Player
from adk_agent_sim.timeline.framework_calls import MODEL_SEAT
from adk_agent_sim.timeline.strict_json import parse_json_input
from adk_agent_sim.use_cases.open_session import OpenSession
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


_ACTION_ADAPTER: TypeAdapter[AnyAction] = TypeAdapter(ActionEntry)


def get_environment(session: OpenSession) -> EnvironmentInfo:
    """Return the session's rules, their counts, and the faults that are pending."""
    return _build_info(session.require_run("show its environment"))


def switch_rule(session: OpenSession, rule_switch: RuleSwitchInput) -> EnvironmentInfo:
    """Switch a rule on or off, from the next call on.

    Raises:
        NotFound: There is no such rule.
    """
    run = session.require_run("switch a rule")
    if not any(rule.name == rule_switch.rule for rule in run.environment.rules):
        raise NotFound(f"There is no rule {rule_switch.rule!r}.")
    run.environment.switch(rule_switch.rule, on=rule_switch.enabled)
    return _build_info(run)


async def switch_profile(session: OpenSession, profile_switch: ProfileSwitchInput) -> EnvironmentInfo:
    """Make another profile of the rules the active one, or none, from the next call on.

    Raises:
        NotFound: There is no such profile.
    """
    run, profile = session.require_run("switch the profile"), profile_switch.profile
    profiles = run.environment.rulebook.spec.profiles
    if profile is not None and profile not in profiles:
        advice = suggest_closest(profile, profiles, "Use one of" if profiles else "The rules have no profiles")
        raise NotFound(f"There is no profile {profile!r}. {advice}.")
    run.environment.switch_profile(profile)
    await run.record_profile_switch()
    return _build_info(run)


async def switch_tool(session: OpenSession, tool_switch: ToolSwitchInput) -> EnvironmentInfo:
    """Choose who plays a tool, from the next call on.

    Raises:
        InvalidTransition: The tool itself is chosen, and the rules refuse real calls; or a mock is chosen that the
            session has no model or recording for.
        NotFound: The agents of the session have no such tool.
    """
    run = session.require_run("switch a tool")
    run.environment.choose_tool_player(await _find_tool(run, tool_switch.tool_name), tool_switch.player)
    await run.record_profile_switch()
    return _build_info(run)


async def add_fault(session: OpenSession, fault: FaultInput) -> EnvironmentInfo:
    """Inject a fault into the next call of a tool, or of the model.

    Raises:
        MalformedValue: The fault is not an action that rules files can hold.
        InvalidFault: It can never happen, because it names an unknown exception or value, or is not for the seat.
        NotFound: The agents of the session have no such tool.
    """
    run = session.require_run("add a fault")
    action, tool = _parse_action(fault.action), await _find_target(run, fault)
    run.environment.add_fault(tool, action)
    return _build_info(run)


async def replace_fault(session: OpenSession, fault_id: str, fault: FaultInput) -> EnvironmentInfo:
    """Replace a pending fault by another one.

    Raises:
        MalformedValue: The fault is not an action that rules files can hold.
        InvalidFault: It can never happen, because it names an unknown exception or value.
        NotFound: The fault is no longer pending, or the agents of the session have no such tool.
    """
    run = session.require_run("change a fault")
    action, tool = _parse_action(fault.action), await _find_target(run, fault)
    if not run.environment.replace_fault(fault_id, tool, action):
        raise NotFound("The fault is no longer pending: it was applied or removed.")
    return _build_info(run)


def remove_fault(session: OpenSession, fault_id: str) -> EnvironmentInfo:
    """Remove a pending fault; one that a call has met already stays in the timeline."""
    run = session.require_run("remove a fault")
    run.environment.remove_fault(fault_id)
    return _build_info(run)


async def _find_target(run: AgentRun, fault: FaultInput) -> str:
    """Return the name of the fault's tool, or the one that stands for the model."""
    if fault.seat == "model":
        if fault.tool_name:
            raise InvalidFault(MODEL_SEAT, f"tool_name: leave it out instead of {fault.tool_name!r}")
        return MODEL_SEAT
    return await _find_tool(run, fault.tool_name)


async def _find_tool(run: AgentRun, tool: str) -> str:
    """Return the name of a tool; raise NotFound if the agents have no such tool."""
    try:
        catalog = await build_tool_catalog(run.app)
    except ToolsetUnavailable:
        return tool  # tools that do not load cannot be listed, and faults and mocks let a person play without them
    if tool not in catalog.tools:
        advice = suggest_closest(tool, catalog.tools, "Use one of")
        raise NotFound(f"The agents of this session have no tool {tool!r}. {advice}.")
    return tool


def _parse_action(text: str) -> AnyAction:
    try:
        return _ACTION_ADAPTER.validate_python(parse_json_input(text))
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        path = ".".join(str(part) for part in problem["loc"])
        raise MalformedValue("The fault", f"{path}: {problem['msg']}") from None


def _build_info(run: AgentRun) -> EnvironmentInfo:
    environment = run.environment
    return EnvironmentInfo(
        rules=[
            RuleInfo(
                name=rule.name,
                seat=rule.seat,
                tools=[tool for tool in rule.tools if tool != MODEL_SEAT],
                conditions=list(rule.conditions),
                actions=list(rule.actions),
                effects=list(rule.effects),
                enabled=rule.enabled,
                profiles=list(rule.profiles),
                tried_count=rule.tried_count,
                fired_count=rule.fired_count,
            )
            for rule in environment.rules
        ],
        pending_faults=dict(environment.pending_faults),
        faults=[
            FaultInfo(
                fault_id=fault.fault_id,
                seat=fault.rule.rule.seat,
                tool_name="" if fault.tool == MODEL_SEAT else fault.tool,
                action=action.model_dump_json(by_alias=True, exclude_unset=True),
                description=action.describe(),
            )
            for fault in environment.faults
            for action in fault.actions[:1]
        ],
        exceptions=sorted(environment.rulebook.exceptions),
        profile=environment.profile,
        profiles=list(environment.rulebook.spec.profiles),
        tool_players=dict(environment.tool_choices.players),
        configured_mocks=dict(environment.configured_mocks.labels),
        refuses_real_tools=environment.rulebook.refuses_real_tools,
        is_played_by_person=run.recorded_session.player is Player.HUMAN,
    )

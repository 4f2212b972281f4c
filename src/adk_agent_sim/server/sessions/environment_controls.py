"""The simulated environment of a session, as a person sees and changes it while the session runs."""

from __future__ import annotations

from pydantic import TypeAdapter, ValidationError

from adk_agent_sim.adk.loading.tool_catalog import build_tool_catalog
from adk_agent_sim.environment.actions import ActionEntry, AnyAction
from adk_agent_sim.environment.environment import Environment
from adk_agent_sim.environment.rule_finding import suggest_closest
from adk_agent_sim.errors import InvalidFault, MalformedValue, NotFound, ToolsetUnavailable
from adk_agent_sim.server.sessions.environment_api_models import (
    EnvironmentInfo,
    FaultInfo,
    FaultInput,
    ProfileSwitchInput,
    RuleInfo,
    RuleSwitchInput,
    ToolSwitchInput,
)
from adk_agent_sim.server.sessions.session_runs import SessionRuns
from adk_agent_sim.timeline.events import Player
from adk_agent_sim.timeline.framework_calls import MODEL_SEAT
from adk_agent_sim.timeline.strict_json import parse_json_input
from adk_agent_sim.timeline.timeline import Timeline

_ACTION_ADAPTER: TypeAdapter[AnyAction] = TypeAdapter(ActionEntry)


class EnvironmentControls:
    """Shows and changes the rules and pending faults of sessions whose agents run in this process."""

    def __init__(self, timeline: Timeline, runs: SessionRuns) -> None:
        self._timeline = timeline
        self._runs = runs

    async def get_environment(self, session_id: str) -> EnvironmentInfo:
        """Return the session's rules, their counts, and the faults that are pending."""
        return self._build_info(session_id, await self._load_environment(session_id, "show its environment"))

    async def switch_rule(self, session_id: str, rule_switch: RuleSwitchInput) -> EnvironmentInfo:
        """Switch a rule on or off, from the next call on.

        Raises:
            NotFound: There is no such rule.
        """
        environment = await self._load_environment(session_id, "switch a rule")
        if not any(rule.name == rule_switch.rule for rule in environment.rules):
            raise NotFound(f"There is no rule {rule_switch.rule!r}.")
        environment.switch(rule_switch.rule, on=rule_switch.enabled)
        return self._build_info(session_id, environment)

    async def switch_profile(self, session_id: str, profile_switch: ProfileSwitchInput) -> EnvironmentInfo:
        """Make another profile of the rules the active one, or none, from the next call on.

        Raises:
            NotFound: There is no such profile.
        """
        environment, profile = await self._load_environment(session_id, "switch the profile"), profile_switch.profile
        profiles = environment.rulebook.spec.profiles
        if profile is not None and profile not in profiles:
            advice = suggest_closest(profile, profiles, "Use one of" if profiles else "The rules have no profiles")
            raise NotFound(f"There is no profile {profile!r}. {advice}.")
        environment.switch_profile(profile)
        await self._runs.require(session_id, "switch the profile").record_profile_switch()
        return self._build_info(session_id, environment)

    async def switch_tool(self, session_id: str, tool_switch: ToolSwitchInput) -> EnvironmentInfo:
        """Choose who plays a tool, from the next call on.

        Raises:
            InvalidTransition: The tool itself is chosen, and the rules refuse real calls; or a mock is chosen that the
                session has no model or recording for.
            NotFound: The agents of the session have no such tool.
        """
        environment = await self._load_environment(session_id, "switch a tool")
        tool = await self._find_tool(session_id, tool_switch.tool_name)
        environment.choose_tool_player(tool, tool_switch.player)
        await self._runs.require(session_id, "switch a tool").record_profile_switch()
        return self._build_info(session_id, environment)

    async def add_fault(self, session_id: str, fault: FaultInput) -> EnvironmentInfo:
        """Inject a fault into the next call of a tool, or of the model.

        Raises:
            MalformedValue: The fault is not an action that rules files can hold.
            InvalidFault: It can never happen, because it names an unknown exception or value, or is not for the seat.
            NotFound: The agents of the session have no such tool.
        """
        environment = await self._load_environment(session_id, "add a fault")
        action, tool = _parse_action(fault.action), await self._find_target(session_id, fault)
        environment.add_fault(tool, action)
        return self._build_info(session_id, environment)

    async def replace_fault(self, session_id: str, fault_id: str, fault: FaultInput) -> EnvironmentInfo:
        """Replace a pending fault by another one.

        Raises:
            MalformedValue: The fault is not an action that rules files can hold.
            InvalidFault: It can never happen, because it names an unknown exception or value.
            NotFound: The fault is no longer pending, or the agents of the session have no such tool.
        """
        environment = await self._load_environment(session_id, "change a fault")
        action, tool = _parse_action(fault.action), await self._find_target(session_id, fault)
        if not environment.replace_fault(fault_id, tool, action):
            raise NotFound("The fault is no longer pending: it was applied or removed.")
        return self._build_info(session_id, environment)

    async def remove_fault(self, session_id: str, fault_id: str) -> EnvironmentInfo:
        """Remove a pending fault; one that a call has met already stays in the timeline."""
        environment = await self._load_environment(session_id, "remove a fault")
        environment.remove_fault(fault_id)
        return self._build_info(session_id, environment)

    async def _find_target(self, session_id: str, fault: FaultInput) -> str:
        """Return the name of the fault's tool, or the one that stands for the model."""
        if fault.seat == "model":
            if fault.tool_name:
                raise InvalidFault(MODEL_SEAT, f"tool_name: leave it out instead of {fault.tool_name!r}")
            return MODEL_SEAT
        return await self._find_tool(session_id, fault.tool_name)

    async def _find_tool(self, session_id: str, tool: str) -> str:
        """Return the name of a tool; raise NotFound if the agents have no such tool."""
        try:
            catalog = await build_tool_catalog(self._runs.require(session_id, "change its environment").app)
        except ToolsetUnavailable:
            return tool  # tools that do not load cannot be listed, and faults and mocks let a person play without them
        if tool not in catalog.tools:
            advice = suggest_closest(tool, catalog.tools, "Use one of")
            raise NotFound(f"The agents of this session have no tool {tool!r}. {advice}.")
        return tool

    def _build_info(self, session_id: str, environment: Environment) -> EnvironmentInfo:
        player = self._runs.require(session_id, "show its environment").recorded_session.player
        return _build_environment_info(environment, is_played_by_person=player is Player.HUMAN)

    async def _load_environment(self, session_id: str, operation: str) -> Environment:
        # Raises SessionNotFound, which says more than that the session has no run here.
        await self._timeline.get_summary(session_id)
        return self._runs.require(session_id, operation).environment


def _parse_action(text: str) -> AnyAction:
    try:
        return _ACTION_ADAPTER.validate_python(parse_json_input(text))
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        path = ".".join(str(part) for part in problem["loc"])
        raise MalformedValue("The fault", f"{path}: {problem['msg']}") from None


def _build_environment_info(environment: Environment, *, is_played_by_person: bool) -> EnvironmentInfo:
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
        is_played_by_person=is_played_by_person,
    )

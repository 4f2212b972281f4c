"""The simulated environment of a session, as a person sees and changes it while the session runs."""

from __future__ import annotations

from pydantic import TypeAdapter, ValidationError

from adk_agent_sim.adk.tool_catalog import build_tool_catalog
from adk_agent_sim.environment.actions import ActionEntry, AnyAction
from adk_agent_sim.environment.environment import Environment
from adk_agent_sim.environment.rule_finding import suggest_closest
from adk_agent_sim.errors import MalformedValue, NotFound, ToolsetUnavailable
from adk_agent_sim.server.api_models import EnvironmentInfo, FaultInfo, FaultInput, RuleInfo, RuleSwitchInput
from adk_agent_sim.server.json_input import parse_json_input
from adk_agent_sim.server.session_runs import SessionRuns
from adk_agent_sim.timeline.timeline import Timeline

_ACTION_ADAPTER: TypeAdapter[AnyAction] = TypeAdapter(ActionEntry)


class EnvironmentControls:
    """Shows and changes the rules and pending faults of sessions whose agents run in this process."""

    def __init__(self, timeline: Timeline, runs: SessionRuns) -> None:
        self._timeline = timeline
        self._runs = runs

    async def get_environment(self, session_id: str) -> EnvironmentInfo:
        """Returns the session's rules, their counts, and the faults that are pending."""
        return _build_environment_info(await self._load_environment(session_id, "show its environment"))

    async def switch_rule(self, session_id: str, rule_switch: RuleSwitchInput) -> EnvironmentInfo:
        """Switch a rule on or off, from the next call on.

        Raises:
            NotFound: There is no such rule.
        """
        environment = await self._load_environment(session_id, "switch a rule")
        if not any(rule.name == rule_switch.rule for rule in environment.rules):
            raise NotFound(f"There is no rule {rule_switch.rule!r}.")
        environment.switch(rule_switch.rule, on=rule_switch.enabled)
        return _build_environment_info(environment)

    async def add_fault(self, session_id: str, fault: FaultInput) -> EnvironmentInfo:
        """Inject a fault into the next call of a tool.

        Raises:
            MalformedValue: The fault is not an action that rules files can hold.
            InvalidFault: It can never happen, because it names an unknown exception or value.
            NotFound: The agents of the session have no such tool.
        """
        environment = await self._load_environment(session_id, "add a fault")
        action = _parse_action(fault.action)
        await self._check_tool(session_id, fault.tool_name)
        environment.fault_next(fault.tool_name, action)
        return _build_environment_info(environment)

    async def replace_fault(self, session_id: str, fault_id: str, fault: FaultInput) -> EnvironmentInfo:
        """Replace a pending fault by another one.

        Raises:
            MalformedValue: The fault is not an action that rules files can hold.
            InvalidFault: It can never happen, because it names an unknown exception or value.
            NotFound: The fault is not pending any more, or the agents of the session have no such tool.
        """
        environment = await self._load_environment(session_id, "change a fault")
        action = _parse_action(fault.action)
        await self._check_tool(session_id, fault.tool_name)
        if not environment.replace_fault(fault_id, fault.tool_name, action):
            raise NotFound("The fault is not pending any more: a call has met it, or it was removed.")
        return _build_environment_info(environment)

    async def remove_fault(self, session_id: str, fault_id: str) -> EnvironmentInfo:
        """Remove a pending fault; one that a call has met already stays in the timeline."""
        environment = await self._load_environment(session_id, "remove a fault")
        environment.remove_fault(fault_id)
        return _build_environment_info(environment)

    async def _check_tool(self, session_id: str, tool_name: str) -> None:
        try:
            catalog = await build_tool_catalog(self._runs.require(session_id, "add a fault").app)
        except ToolsetUnavailable:
            return  # tools that do not load cannot be listed, and faults are a way to play without them
        if tool_name not in catalog.tools:
            advice = suggest_closest(tool_name, catalog.tools, "Use one of")
            raise NotFound(f"The agents of this session have no tool {tool_name!r}. {advice}.")

    async def _load_environment(self, session_id: str, operation: str) -> Environment:
        await self._timeline.get_summary(session_id)
        return self._runs.require(session_id, operation).environment


def _parse_action(text: str) -> AnyAction:
    try:
        return _ACTION_ADAPTER.validate_python(parse_json_input(text))
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        path = ".".join(str(part) for part in problem["loc"])
        raise MalformedValue("The fault", f"{path}: {problem['msg']}") from None


def _build_environment_info(environment: Environment) -> EnvironmentInfo:
    return EnvironmentInfo(
        rules=[
            RuleInfo(
                name=rule.name,
                tools=list(rule.tools),
                conditions=list(rule.conditions),
                actions=list(rule.actions),
                effects=list(rule.effects),
                enabled=rule.enabled,
                tried_count=rule.tried_count,
                fired_count=rule.fired_count,
            )
            for rule in environment.rules
        ],
        pending_faults=dict(environment.pending_faults),
        faults=[
            FaultInfo(
                fault_id=fault.fault_id,
                tool_name=fault.tool,
                action=action.model_dump_json(by_alias=True, exclude_unset=True),
                description=action.describe(),
            )
            for fault in environment.faults
            for action in fault.actions[:1]
        ],
        exceptions=sorted(environment.rulebook.exceptions),
    )

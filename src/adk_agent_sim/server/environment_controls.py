"""The simulated environment of a session, as a person sees and changes it while the session runs."""

from __future__ import annotations

from pydantic import TypeAdapter, ValidationError

from adk_agent_sim.environment.actions import ActionEntry, AnyAction
from adk_agent_sim.environment.environment import Environment
from adk_agent_sim.errors import MalformedValue, NotFound
from adk_agent_sim.server.api_models import EnvironmentInfo, FaultInput, RuleInfo, RuleSwitchInput
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
        """
        environment = await self._load_environment(session_id, "add a fault")
        environment.fault_next(fault.tool_name, _parse_action(fault.action))
        return _build_environment_info(environment)

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
                actions=list(rule.actions),
                enabled=rule.enabled,
                tried_count=rule.tried_count,
                fired_count=rule.fired_count,
            )
            for rule in environment.rules
        ],
        pending_faults=dict(environment.pending_faults),
    )

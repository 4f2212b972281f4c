"""The simulated environment of a session, as a person sees and changes it while the session goes on."""

from __future__ import annotations

from pydantic import TypeAdapter, ValidationError

from adk_agent_sim.environment.actions import ActionEntry, AnyAction
from adk_agent_sim.environment.environment import Environment
from adk_agent_sim.errors import MalformedValue, NotFound
from adk_agent_sim.server.api_models import EnvironmentInfo, FaultInput, RuleInfo, RuleSwitchInput
from adk_agent_sim.server.json_input import parse_json_input

_ACTION_ADAPTER: TypeAdapter[AnyAction] = TypeAdapter(ActionEntry)


def build_environment_info(environment: Environment) -> EnvironmentInfo:
    """The rules as they stand, and the faults that wait."""
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


def set_rule_enabled(environment: Environment, rule_switch: RuleSwitchInput) -> None:
    """Switch a rule on or off."""
    if not any(rule.name == rule_switch.rule for rule in environment.rules):
        raise NotFound(f"There is no rule {rule_switch.rule!r}.")
    environment.switch(rule_switch.rule, on=rule_switch.enabled)


def queue_fault(environment: Environment, fault: FaultInput) -> None:
    """Let the next call of a tool meet a fault."""
    try:
        action = _ACTION_ADAPTER.validate_python(parse_json_input(fault.action))
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in problem["loc"])
        raise MalformedValue("The fault", f"{place}: {problem['msg']}") from None
    environment.fault_next(fault.tool_name, action)

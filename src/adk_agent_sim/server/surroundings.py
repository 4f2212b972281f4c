"""The simulated environment of a session, as a person sees and changes it while the session goes on."""

from __future__ import annotations

from pydantic import TypeAdapter, ValidationError

from adk_agent_sim.environment.actions import AnyAction, Written
from adk_agent_sim.environment.environment import Environment
from adk_agent_sim.errors import NothingSuch, ValueUnreadable
from adk_agent_sim.server.json_text import parsed
from adk_agent_sim.server.shapes import EnvironmentShape, FaultOrder, RuleShape, RuleSwitch

_ACTION: TypeAdapter[AnyAction] = TypeAdapter(Written)


def environment_shape(environment: Environment) -> EnvironmentShape:
    """The rules as they stand, and the faults that wait."""
    return EnvironmentShape(
        rules=[
            RuleShape(
                name=rule.name,
                tools=list(rule.tools),
                actions=list(rule.actions),
                on=rule.on,
                tried=rule.tried,
                fired=rule.fired,
            )
            for rule in environment.rules
        ],
        faults=dict(environment.faults),
    )


def switch(environment: Environment, order: RuleSwitch) -> None:
    """Switch a rule on or off."""
    if not any(rule.name == order.rule for rule in environment.rules):
        raise NothingSuch(f"There is no rule {order.rule!r}.")
    environment.switch(order.rule, on=order.on)


def add_fault(environment: Environment, order: FaultOrder) -> None:
    """Let the next call of a tool meet a fault."""
    try:
        action = _ACTION.validate_python(parsed(order.action))
    except ValidationError as error:
        problem = error.errors(include_url=False)[0]
        place = ".".join(str(part) for part in problem["loc"])
        raise ValueUnreadable("The fault", f"{place}: {problem['msg']}") from None
    environment.fault_next(order.tool, action)

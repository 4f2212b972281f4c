"""What is written down of a run: every call as an event that happened, what it returned, what went wrong."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from adk_agent_sim.scenario.apps.app import App
from adk_agent_sim.scenario.apps.chance import Chance
from adk_agent_sim.scenario.apps.surroundings import Call, Via
from adk_agent_sim.scenario.format.models import ExportedAction
from adk_agent_sim.scenario.world.log import Happened, Log
from adk_agent_sim.scenario.world.plan import Planned
from adk_agent_sim.scenario.world.result import Fault


@dataclass(frozen=True, kw_only=True, slots=True)
class Frame:
    """The call under way: of what time it is, and which event makes it."""

    time: float

    event: Planned | None = None


@dataclass(kw_only=True)
class Journal:
    """The records of one run."""

    chance: Chance

    frame: Frame

    log: Log = field(default_factory=Log)

    latest: Happened | None = None
    """What was written last."""

    returned: dict[str, Any] = field(default_factory=dict[str, Any])
    """What events returned, without those that failed."""

    faults: list[Fault] = field(default_factory=list[Fault])

    def add(self, event: Happened) -> None:
        """Write down what happened."""
        self.log.add(event)
        self.latest = event

    def record(self, made: Call) -> None:
        """Write down a call that was made."""
        event = None if made.nested else self.frame.event
        app, function = made.app, made.function
        event_id = event.event_id if event else f"{made.via.upper()}-{app.name}.{function}-{self._uuid()}"
        given = event.action.action_id if event and event.action else ""
        self.add(
            Happened.of(
                event_id=event_id,
                kind=made.via.upper(),
                time=self.frame.time,
                operation=made.operation.value,
                app=app.name,
                function=function,
                arguments=_completed(made) if made.via is Via.AGENT or event is None else made.arguments,
                action_id=given or f"{type(app).__name__}.{function}-{self._uuid()}",
                dependencies=event.parents if event else (),
                value=made.value,
                error=made.error,
            )
        )
        if event is None and made.error is None:
            self.returned[event_id] = made.value

    def refuse(self, event: Planned, action: ExportedAction, app: App | None, error: Exception) -> None:
        """Write down a call that an event could not make."""
        tool = app.tools().get(action.function or "") if app is not None else None
        operation = tool.operation.value if tool is not None and tool.operation is not None else None
        self.add(
            Happened.of(
                event_id=event.event_id,
                kind=event.kind,
                time=self.frame.time,
                operation=operation if event.kind == "AGENT" else "READ",
                app=action.app,
                function=action.function or "",
                arguments={each.name: each.value for each in action.args or ()},
                action_id=action.action_id or f"{action.app}.{action.function}-{self._uuid()}",
                dependencies=event.parents,
                error=error,
            )
        )

    def fault(self, event_id: str, name: str, why: str, t: float) -> None:
        """Write down what went wrong with an event of the scenario."""
        self.faults.append(Fault(event_id=event_id, call=name, why=why, t=t))

    def match(self, names: Mapping[str, str]) -> None:
        """Give what the agent did the ids of the expected events that it is."""
        self.log.rename(names)
        self.returned.update({names[each]: self.returned[each] for each in names if each in self.returned})

    def saved(self) -> tuple[Any, ...]:
        """The records as they are, for `put_back`."""
        return self.log.copy(), dict(self.returned), tuple(self.faults), self.chance.count

    def put_back(self, saved: tuple[Any, ...]) -> None:
        """Have again the records that `saved` gave."""
        log, returned, faults, self.chance.count = saved
        self.log, self.returned, self.faults = log.copy(), dict(returned), list(faults)

    def _uuid(self) -> str:
        digits = self.chance.new_id()
        return f"{digits[:8]}-{digits[8:12]}-{digits[12:16]}-{digits[16:20]}-{digits[20:]}"


def _completed(made: Call) -> Mapping[str, Any]:
    """The arguments in the order of the tool, with what was left out."""
    tool = made.app.tools()[made.function]
    given = made.arguments
    stated = {each.name: given.get(each.name, each.default) for each in tool.arguments if not each.variadic}
    return stated if stated.keys() >= given.keys() else stated | dict(given)

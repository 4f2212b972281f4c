"""Authoring: a scenario written in Python as the story goes, each step checked against the tools of its app.

s = Story("lunch", start_time=1728975600, duration=600)
s.app("Emails", "EmailClientV2", state)
ask = s.user("Ask Gus for lunch.")
mail = s.oracle("Emails", "send_email", recipients=["gus@example.org"], subject="Lunch")
s.answer("Done.")
s.after(mail, seconds=60).env("Emails", "reply_to_email_from_user", sender="gus@example.org", email_id=mail)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from adk_agent_sim.errors import Problem, StoryDoesNotFit
from adk_agent_sim.scenario.apps.app import App
from adk_agent_sim.scenario.apps.registry import ALWAYS, app_class, app_names
from adk_agent_sim.scenario.apps.tool import APP, ENV, USER, Kind, Tool
from adk_agent_sim.scenario.format.calls import misfits
from adk_agent_sim.scenario.format.exporter import JsonScenarioExporter
from adk_agent_sim.scenario.format.models import VERSION, ExportedActionArg, ExportedTrace, plain
from adk_agent_sim.scenario.format.scenario import ScenarioImportedFromJson
from adk_agent_sim.scenario.format.values import text_of, type_of

Comparator = Literal["LESS_THAN", "GREATER_THAN", "EQUAL"]

_USER_INTERFACE = "AgentUserInterface"
_TYPES: dict[Kind, str] = {APP: "AGENT", ENV: "ENV", USER: "USER"}


@dataclass(frozen=True)
class Step:
    """An event of a story. As an argument of a later one, it stands for what the event returned."""

    event_id: str

    def __getitem__(self, key: str) -> str:
        """A part of what the event returned, as an argument of a later event."""
        return f"{{{{{self.event_id}.{key}}}}}"

    def __str__(self) -> str:
        return f"{{{{{self.event_id}}}}}"


@dataclass(frozen=True, kw_only=True)
class Moment:
    """When a step happens: so many seconds after others, or at a fixed time."""

    story: Story
    after: tuple[Step, ...] = ()
    seconds: float | None = 1
    time: float | None = None
    comparator: Comparator | None = None

    def user(self, content: str, /) -> Step:
        """The user says something to the agent."""
        return self.story.add(self, USER, _USER_INTERFACE, "send_message_to_agent", {"content": content})

    def env(self, app: str, function: str, /, **arguments: Any) -> Step:
        """Something happens in the world."""
        return self.story.add(self, ENV, app, function, arguments)

    def oracle(self, app: str, function: str, /, **arguments: Any) -> Step:
        """The agent is expected to call a tool."""
        return self.story.add(self, APP, app, function, arguments)

    def answer(self, content: str, /) -> Step:
        """The agent is expected to say something to the user, which ends its turn."""
        return self.oracle(_USER_INTERFACE, "send_message_to_user", content=content)


class Story:
    """A scenario that is being written; a step without a moment of its own follows the step before it."""

    def __init__(
        self,
        scenario_id: str,
        *,
        start_time: float,
        duration: float | None = None,
        seed: int = 0,
        tags: Iterable[str] = (),
    ) -> None:
        self._definition: dict[str, Any] = {
            "scenario_id": scenario_id,
            "seed": seed,
            "duration": duration,
            "time_increment_in_seconds": 1,
            "start_time": start_time,
            "hints": [],
            "tags": list(tags),
        }
        self._apps: list[dict[str, Any]] = []
        self._classes: dict[str, type[App]] = dict(ALWAYS)
        self._events: list[dict[str, Any]] = []
        self._steps: dict[Step, None] = {}
        for name in ALWAYS:
            state: dict[str, Any] | None = {"messages": []} if name == _USER_INTERFACE else None
            self._apps.append({"name": name, "class_name": name, "app_state": state})

    def app(self, name: str, class_name: str | None = None, state: Mapping[str, Any] | None = None) -> None:
        """Put an app into the world, under the name by which steps call it."""
        found = app_class(class_name or name)
        if found is None:
            raise _unfit(
                f"App {name!r}", f"there is no app class {class_name or name!r}; there are {', '.join(app_names())}"
            )
        if name in self._classes:
            raise _unfit(f"App {name!r}", "the world has an app of that name")
        self._classes[name] = found
        self._apps.append({"name": name, "class_name": found.__name__, "app_state": dict(state or {})})

    def user(self, content: str, /) -> Step:
        """The user says something to the agent."""
        return self._next().user(content)

    def env(self, app: str, function: str, /, **arguments: Any) -> Step:
        """Something happens in the world."""
        return self._next().env(app, function, **arguments)

    def oracle(self, app: str, function: str, /, **arguments: Any) -> Step:
        """The agent is expected to call a tool."""
        return self._next().oracle(app, function, **arguments)

    def answer(self, content: str, /) -> Step:
        """The agent is expected to say something to the user, which ends its turn."""
        return self._next().answer(content)

    def after(self, *steps: Step, seconds: float = 1, comparator: Comparator | None = None) -> Moment:
        """So many seconds after the last of these steps; the comparator says how strictly an oracle is timed."""
        return Moment(story=self, after=steps, seconds=seconds, comparator=comparator)

    def at(self, time: float, *, after: Iterable[Step] = (), comparator: Comparator | None = None) -> Moment:
        """At a Unix time."""
        return Moment(story=self, after=tuple(after), seconds=None, time=time, comparator=comparator)

    def hint(self, content: str, *, step: Step | None = None, about: Literal["task", "environment"] = "task") -> None:
        """Give help to whoever plays the agent."""
        kind = "TASK_HINT" if about == "task" else "ENVIRONMENT_HINT"
        hint = {"hint_type": kind, "content": content, "associated_event_id": step.event_id if step else ""}
        self._definition["hints"].append(hint)

    def add(self, moment: Moment, kind: Kind, app: str, function: str, arguments: Mapping[str, Any]) -> Step:
        """Add a step at a moment.

        Raises:
            StoryDoesNotFit: No app of the world can do it so; says what would fit.
        """
        tool = self._tool(kind, app, function)
        args = [_argument(name, value) for name, value in arguments.items()]
        if found := [Problem(path="", message=each.message) for each in misfits(tool, args)]:
            raise StoryDoesNotFit(f"{app}.{function}", found)
        if unknown := [step.event_id for step in moment.after if step not in self._steps]:
            raise _unfit(f"{app}.{function}", f"it is to come after {unknown[0]!r}, which is not in this story")
        event = self._event(moment, kind, tool, app, args)
        self._events.append(event)
        self._steps[Step(event["event_id"])] = None
        return Step(event["event_id"])

    def scenario(self) -> ScenarioImportedFromJson:
        """The scenario as far as it is written."""
        file = {
            "world_logs": [],
            "apps": self._apps,
            "events": self._events,
            "completed_events": [],
            "version": VERSION,
            "context": None,
            "augmentation": None,
            "metadata": {"definition": self._definition},
        }
        return ScenarioImportedFromJson(trace=ExportedTrace.model_validate(file))

    def json(self) -> str:
        """The text of the scenario's file."""
        return JsonScenarioExporter().export_to_json(scenario=self.scenario(), indent=2)

    def _next(self) -> Moment:
        if not self._events:
            return Moment(story=self, seconds=0)
        return Moment(story=self, after=(Step(self._events[-1]["event_id"]),))

    def _tool(self, kind: Kind, app: str, function: str) -> Tool:
        if app not in self._classes:
            raise _unfit(f"{app}.{function}", f"the world has no app {app!r}; its apps are {', '.join(self._classes)}")
        tools = self._classes[app].tools()
        fitting = ", ".join(name for name, each in tools.items() if kind in each.kinds) or "none"
        if function not in tools:
            raise _unfit(f"{app}.{function}", f"{app!r} has no such tool; for {_TYPES[kind]} events it has {fitting}")
        if kind not in tools[function].kinds:
            raise _unfit(f"{app}.{function}", f"it is no tool for {_TYPES[kind]} events; these are {fitting}")
        return tools[function]

    def _event(self, moment: Moment, kind: Kind, tool: Tool, app: str, args: list[ExportedActionArg]) -> dict[str, Any]:
        number = f"{len(self._events) + 1:03}"
        class_name = "OracleEvent" if kind is APP else "Event"
        event: dict[str, Any] = {
            "class_name": class_name,
            "event_type": _TYPES[kind],
            "event_time": moment.time,
            "event_id": f"{class_name}-{_TYPES[kind]}-{self._definition['scenario_id']}-{number}",
            "dependencies": [step.event_id for step in moment.after],
            "event_relative_time": moment.seconds,
            "action": {
                "action_id": f"{app}.{tool.name}-{number}",
                "app": app,
                "function": tool.name,
                "operation_type": None if tool.operation is None else tool.operation.value,
                "args": plain(args),
            },
        }
        return event | ({"event_time_comparator": moment.comparator} if kind is APP else {})


def _argument(name: str, value: Any) -> ExportedActionArg:
    given = str(value) if isinstance(value, Step) else value
    return ExportedActionArg(name=name, value=text_of(given), value_type=type_of(given))


def _unfit(step: str, why: str) -> StoryDoesNotFit:
    return StoryDoesNotFit(step, [Problem(path="", message=why)])

"""Authoring of scenarios in Python. Each step is checked against the tools of its app when it is added.

s = Story("lunch", start_time=1728975600, duration=600)
s.app("Emails", "EmailClientV2", state)
ask = s.user("Ask Gus for lunch.")
mail = s.oracle("Emails", "send_email", recipients=["gus@example.org"], subject="Lunch")
s.answer("Done.")
s.after(mail, seconds=60).env("Emails", "reply_to_email_from_user", sender="gus@example.org", email_id=mail)
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, Literal

from adk_agent_sim.errors import InvalidStoryStep, Problem
from adk_agent_sim.scenario.app_base.app import APP, ENV, USER, App, Tool, ToolKind
from adk_agent_sim.scenario.apps.registry import DEFAULT_APPS, find_app_class, list_app_class_names
from adk_agent_sim.scenario.format.call_arguments import find_argument_problems, format_value, get_value_type
from adk_agent_sim.scenario.format.exporter import JsonScenarioExporter
from adk_agent_sim.scenario.format.imported_scenario import ScenarioImportedFromJson
from adk_agent_sim.scenario.format.models import FORMAT_VERSION, ExportedActionArg, ExportedTrace, to_json_value

Comparator = Literal["LESS_THAN", "GREATER_THAN", "EQUAL"]

_USER_INTERFACE = "AgentUserInterface"
_EVENT_TYPES: dict[ToolKind, str] = {APP: "AGENT", ENV: "ENV", USER: "USER"}


@dataclass(frozen=True)
class StoryStep:
    """An event of a story. Passed as an argument of a later step, it is a placeholder for the event's return value."""

    event_id: str

    def __getitem__(self, key: str) -> str:
        """Return a placeholder for one key of the event's return value."""
        return f"{{{{{self.event_id}.{key}}}}}"

    def __str__(self) -> str:
        return f"{{{{{self.event_id}}}}}"


@dataclass(frozen=True, kw_only=True)
class StepTiming:
    """When a step happens: a delay after other steps, or an absolute time."""

    story: Story
    after: tuple[StoryStep, ...] = ()
    seconds: float | None = 1
    time: float | None = None
    comparator: Comparator | None = None

    def user(self, content: str, /) -> StoryStep:
        """Add a message from the user to the agent."""
        return self.story.add_step(self, USER, _USER_INTERFACE, "send_message_to_agent", {"content": content})

    def env(self, app: str, function: str, /, **arguments: Any) -> StoryStep:
        """Add an event of the environment."""
        return self.story.add_step(self, ENV, app, function, arguments)

    def oracle(self, app: str, function: str, /, **arguments: Any) -> StoryStep:
        """Add a tool call that is expected of the agent."""
        return self.story.add_step(self, APP, app, function, arguments)

    def answer(self, content: str, /) -> StoryStep:
        """Add a message to the user that is expected of the agent. It ends the agent's turn."""
        return self.oracle(_USER_INTERFACE, "send_message_to_user", content=content)


class Story:
    """Builder of a scenario. A step without a timing of its own follows the previous step after one second."""

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
        self._app_classes: dict[str, type[App]] = dict(DEFAULT_APPS)
        self._events: list[dict[str, Any]] = []
        self._steps: dict[StoryStep, None] = {}
        for name in DEFAULT_APPS:
            state: dict[str, Any] | None = {"messages": []} if name == _USER_INTERFACE else None
            self._apps.append({"name": name, "class_name": name, "app_state": state})

    def app(self, name: str, class_name: str | None = None, state: Mapping[str, Any] | None = None) -> None:
        """Add an app to the world, under the name by which steps refer to it.

        Args:
            name: The name of the app in this scenario.
            class_name: The class of the app; its name if omitted.
            state: Its state; keys that are omitted are those of an app without content, because ARE requires all.

        Raises:
            InvalidStoryStep: There is no such app class, or the name is taken.
        """
        app_class = find_app_class(class_name or name)
        if app_class is None:
            raise _build_error(
                f"App {name!r}",
                f"there is no app class {class_name or name!r}; known classes: {', '.join(list_app_class_names())}",
            )
        if name in self._app_classes:
            raise _build_error(f"App {name!r}", "the world already has an app of that name")
        self._app_classes[name] = app_class
        self._apps.append(
            {"name": name, "class_name": app_class.__name__, "app_state": _complete_state(app_class, state)}
        )

    def user(self, content: str, /) -> StoryStep:
        """Add a message from the user to the agent."""
        return self._build_next_timing().user(content)

    def env(self, app: str, function: str, /, **arguments: Any) -> StoryStep:
        """Add an event of the environment."""
        return self._build_next_timing().env(app, function, **arguments)

    def oracle(self, app: str, function: str, /, **arguments: Any) -> StoryStep:
        """Add a tool call that is expected of the agent."""
        return self._build_next_timing().oracle(app, function, **arguments)

    def answer(self, content: str, /) -> StoryStep:
        """Add a message to the user that is expected of the agent. It ends the agent's turn."""
        return self._build_next_timing().answer(content)

    def after(self, *steps: StoryStep, seconds: float = 1, comparator: Comparator | None = None) -> StepTiming:
        """Return the timing `seconds` after the last of these steps.

        Args:
            steps: The steps that must happen first.
            seconds: The delay after the last of them.
            comparator: How strictly the time of an oracle step is judged.
        """
        return StepTiming(story=self, after=steps, seconds=seconds, comparator=comparator)

    def at(self, time: float, *, after: Iterable[StoryStep] = (), comparator: Comparator | None = None) -> StepTiming:
        """Return the timing at an absolute Unix time."""
        return StepTiming(story=self, after=tuple(after), seconds=None, time=time, comparator=comparator)

    def hint(
        self, content: str, *, step: StoryStep | None = None, about: Literal["task", "environment"] = "task"
    ) -> None:
        """Add a hint for whoever plays the agent."""
        kind = "TASK_HINT" if about == "task" else "ENVIRONMENT_HINT"
        hint = {"hint_type": kind, "content": content, "associated_event_id": step.event_id if step else ""}
        self._definition["hints"].append(hint)

    def add_step(
        self, timing: StepTiming, kind: ToolKind, app: str, function: str, arguments: Mapping[str, Any]
    ) -> StoryStep:
        """Add a step with a given timing.

        Raises:
            InvalidStoryStep: No app of the world has a tool that fits the step; the message lists what would fit.
        """
        tool = self._find_tool(kind, app, function)
        args = [_build_argument(name, value) for name, value in arguments.items()]
        if problems := [Problem(path="", message=each.message) for each in find_argument_problems(tool, args)]:
            raise InvalidStoryStep(f"{app}.{function}", problems)
        if unknown := [step.event_id for step in timing.after if step not in self._steps]:
            raise _build_error(f"{app}.{function}", f"it comes after {unknown[0]!r}, which is not a step of this story")
        event = self._build_event(timing, kind, tool, app, args)
        self._events.append(event)
        self._steps[StoryStep(event["event_id"])] = None
        return StoryStep(event["event_id"])

    def scenario(self) -> ScenarioImportedFromJson:
        """Return the scenario with all steps added so far."""
        file = {
            "world_logs": [],
            "apps": self._apps,
            "events": self._events,
            "completed_events": [],
            "version": FORMAT_VERSION,
            "context": None,
            "augmentation": None,
            "metadata": {"definition": self._definition},
        }
        return ScenarioImportedFromJson(trace=ExportedTrace.model_validate(file))

    def json(self) -> str:
        """Return the text of the scenario file."""
        return JsonScenarioExporter().export_to_json(scenario=self.scenario(), indent=2)

    def _build_next_timing(self) -> StepTiming:
        if not self._events:
            return StepTiming(story=self, seconds=0)
        return StepTiming(story=self, after=(StoryStep(self._events[-1]["event_id"]),))

    def _find_tool(self, kind: ToolKind, app: str, function: str) -> Tool:
        if app not in self._app_classes:
            raise _build_error(
                f"{app}.{function}", f"the world has no app {app!r}; its apps are {', '.join(self._app_classes)}"
            )
        tools = self._app_classes[app].tools()
        callable_names = ", ".join(name for name, each in tools.items() if kind in each.kinds) or "none"
        if function not in tools:
            raise _build_error(
                f"{app}.{function}",
                f"{app!r} has no such tool; its tools for {_EVENT_TYPES[kind]} events: {callable_names}",
            )
        if kind not in tools[function].kinds:
            raise _build_error(
                f"{app}.{function}", f"it is not a tool for {_EVENT_TYPES[kind]} events; these are: {callable_names}"
            )
        return tools[function]

    def _build_event(
        self, timing: StepTiming, kind: ToolKind, tool: Tool, app: str, args: list[ExportedActionArg]
    ) -> dict[str, Any]:
        # Padded with zeros, because events of equal time happen in the order of their ids.
        number = f"{len(self._events) + 1:03}"
        class_name = "OracleEvent" if kind is APP else "Event"
        event: dict[str, Any] = {
            "class_name": class_name,
            "event_type": _EVENT_TYPES[kind],
            "event_time": timing.time,
            "event_id": f"{class_name}-{_EVENT_TYPES[kind]}-{self._definition['scenario_id']}-{number}",
            "dependencies": [step.event_id for step in timing.after],
            "event_relative_time": timing.seconds,
            "action": {
                "action_id": f"{app}.{tool.name}-{number}",
                "app": app,
                "function": tool.name,
                "operation_type": None if tool.operation is None else tool.operation.value,
                "args": to_json_value(args),
            },
        }
        return event | ({"event_time_comparator": timing.comparator} if kind is APP else {})


def _complete_state(app_class: type[App], state: Mapping[str, Any] | None) -> dict[str, Any] | None:
    if app_class.empty_state is None:
        return dict(state) if state else None
    return deepcopy(dict(app_class.empty_state)) | dict(state or {})


def _build_argument(name: str, value: Any) -> ExportedActionArg:
    content = str(value) if isinstance(value, StoryStep) else value
    return ExportedActionArg(name=name, value=format_value(content), value_type=get_value_type(content))


def _build_error(subject: str, reason: str) -> InvalidStoryStep:
    return InvalidStoryStep(subject, [Problem(path="", message=reason)])

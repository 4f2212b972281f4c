"""The base class of all apps, the declaration of their tools, and their interface to the world they are in.

Apps hold their entities (an email, a contact) as the JSON objects of the scenario file and never change them in place;
a change replaces the object. Worlds of one scenario can therefore share unchanged objects, dumping a state is cheap,
and unknown keys are preserved. The `tool` decorator marks a method as a tool; its signature gives the arguments and
its docstring the descriptions.

```
World.call --> call_tool --> App method --> call_nested_tool --> tool of this or another app
                   |                               |
                   +--> record_call(AppCall) <-----+
                   +--> notify_agent(Notification)
```
A world creates one `AppContext` and passes in what only its engine can do, such as reading the clock or letting time
pass.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cache, cached_property
from types import MappingProxyType
from typing import Any, ClassVar, TypeVar

from adk_agent_sim.errors import InvalidAppState
from adk_agent_sim.scenario.app_base.entity import Fields
from adk_agent_sim.scenario.app_base.time_and_random import WorldRandom

_DECLARATION_ATTRIBUTE = "__adksim_tool__"

_Method = TypeVar("_Method", bound=Callable[..., Any])


class ToolKind(StrEnum):
    """Who may call a tool."""

    APP = "app"
    """The agent."""
    ENV = "env"
    """ENV events of the scenario."""
    USER = "user"
    """USER events of the scenario."""
    DATA = "data"
    """Code that prepares the data of a scenario; never called in a run."""


class Operation(StrEnum):
    """Whether a call changes the world. Logged with the call."""

    READ = "READ"
    WRITE = "WRITE"


class NotificationLevel(StrEnum):
    """How many notifications the agent receives; each level includes those of the levels before it."""

    LOW = "LOW"
    MEDIUM = "MEDIUM"
    HIGH = "HIGH"


APP, ENV, USER, DATA = ToolKind
"""Who calls a tool: the agent, events of the environment, events of the user, or nobody (it only prepares data)."""

READ, WRITE = Operation
"""What a tool does with the state of its app."""

LOW, MEDIUM, HIGH = NotificationLevel
"""The level of a notification: an agent gets those of its own level and of the levels before it."""


@dataclass(frozen=True)
class NotificationTemplate:
    """The notification that the agent receives when a tool was called."""

    level: NotificationLevel
    """The lowest level at which the agent receives it."""

    text: str
    """The text after the app's class name; `{argument}` is replaced by an argument of the call."""

    notify_own_calls: bool = True
    """Whether the agent is also notified of its own calls."""


@dataclass(frozen=True, kw_only=True)
class Argument:
    """One argument of a tool."""

    name: str

    annotation: str
    """The type, as Python source."""

    description: str = ""

    required: bool = True

    default: Any = None
    """The default value; meaningless for a required argument."""

    variadic: bool = False
    """Whether it is `**kwargs` and stands for any further named arguments."""


@dataclass(frozen=True, kw_only=True)
class Tool:
    """One tool of an app."""

    name: str

    description: str
    """What it does; shown to models."""

    kinds: frozenset[ToolKind]

    operation: Operation | None
    """None if calls are not logged."""

    arguments: tuple[Argument, ...]

    return_type: str
    """The type of the return value, as Python source."""

    notification: NotificationTemplate | None
    """None if the agent is never notified."""

    type_checked: bool
    """Whether a call is rejected before it runs if an argument has the wrong type."""

    success_text: str = ""
    """What an agent sees of a successful call, if that is not the return value."""

    @cached_property
    def required_arguments(self) -> tuple[str, ...]:
        """The names of the required arguments."""
        return tuple(each.name for each in self.arguments if each.required and not each.variadic)

    @cached_property
    def annotations(self) -> Mapping[str, str]:
        """The types of the named arguments by name, as Python source."""
        return {each.name: each.annotation for each in self.arguments if not each.variadic}

    def find_argument(self, name: str) -> Argument | None:
        """Return the argument of that name, or the variadic argument, or None."""
        named = next((each for each in self.arguments if each.name == name and not each.variadic), None)
        return named or next((each for each in self.arguments if each.variadic), None)


@dataclass(frozen=True, kw_only=True)
class _ToolDeclaration:
    kinds: frozenset[ToolKind]
    operation: Operation | None
    return_type: str
    notification: NotificationTemplate | None
    type_checked: bool
    success_text: str


def tool(
    *kinds: ToolKind,
    operation: Operation | None,
    return_type: str = "",
    notification: NotificationTemplate | None = None,
    type_checked: bool = True,
    success_text: str = "",
) -> Callable[[_Method], _Method]:
    """Mark a method as a tool.

    Args:
        kinds: Who may call it.
        operation: The operation that calls are logged as; None if they are not logged.
        return_type: The return type as Python source, if it differs from the annotation.
        notification: What the agent is notified of.
        type_checked: Whether argument types are checked before the call.
        success_text: What an agent sees of a successful call, if that is not the return value.
    """
    declaration = _ToolDeclaration(
        kinds=frozenset(kinds),
        operation=operation,
        return_type=return_type,
        notification=notification,
        type_checked=type_checked,
        success_text=success_text,
    )

    def mark_method(method: _Method) -> _Method:
        setattr(method, _DECLARATION_ATTRIBUTE, declaration)
        return method

    return mark_method


def read_tool(method: object) -> Tool | None:
    """Return the tool that a method declares, or None if it is not marked as a tool."""
    declaration = getattr(method, _DECLARATION_ATTRIBUTE, None)
    if not isinstance(declaration, _ToolDeclaration) or not inspect.isfunction(method):
        return None
    signature = inspect.signature(method)
    descriptions = _parse_docstring(inspect.getdoc(method) or "")
    return Tool(
        name=method.__name__,
        description=descriptions.pop("", ""),
        kinds=declaration.kinds,
        operation=declaration.operation,
        arguments=tuple(_read_argument(each, descriptions) for each in list(signature.parameters.values())[1:]),
        return_type=declaration.return_type or _format_annotation(signature.return_annotation),
        notification=declaration.notification,
        type_checked=declaration.type_checked,
        success_text=declaration.success_text,
    )


def _read_argument(parameter: inspect.Parameter, descriptions: dict[str, str]) -> Argument:
    variadic = parameter.kind is inspect.Parameter.VAR_KEYWORD
    required = not variadic and parameter.default is inspect.Parameter.empty
    return Argument(
        name=parameter.name,
        annotation=_format_annotation(parameter.annotation),
        description=descriptions.get(parameter.name, ""),
        required=required,
        default=None if required or variadic else parameter.default,
        variadic=variadic,
    )


def _format_annotation(annotation: object) -> str:
    """Return a type as Python source, whether or not the module postpones the evaluation of annotations."""
    if annotation is inspect.Signature.empty:
        return "Any"
    return annotation if isinstance(annotation, str) else inspect.formatannotation(annotation)


def _parse_docstring(docstring: str) -> dict[str, str]:
    """Return the descriptions in a docstring by argument name; the tool's own is under the empty name."""
    summary, _, arguments = docstring.partition("\n\nArgs:\n")
    lines = (line.strip().partition(": ") for line in arguments.splitlines() if line.strip())
    return {"": " ".join(summary.split())} | {name: text for name, _, text in lines}


class CallerRole(StrEnum):
    """Who makes a call. The value is also the type of the event that the call is logged as."""

    AGENT = "agent"
    ENV = "env"
    USER = "user"


class NotificationKind(StrEnum):
    """What a notification reports: a message of the user, or something that happened in the environment."""

    USER_MESSAGE = "USER_MESSAGE"
    ENVIRONMENT_NOTIFICATION = "ENVIRONMENT_NOTIFICATION"


@dataclass(frozen=True, kw_only=True)
class Notification:
    """A notification as an app creates it: not yet timed, and not yet filtered by the agent's level.

    The world's queue drops it or stores it as a `timeline.world_events.NotificationDelivered`, which has the time
    but no level.
    """

    level: NotificationLevel
    """The lowest notification level at which the agent receives it."""

    kind: NotificationKind

    text: str


@dataclass(frozen=True, kw_only=True)
class AppCall:
    """One call as it is logged. Nested calls are logged before the call that made them."""

    caller: CallerRole

    operation: Operation

    app: App

    function: str

    arguments: Mapping[str, Any]
    """The arguments as given, without defaults."""

    value: Any = None
    """The return value."""

    error: Exception | None = None
    """The exception, if the call failed."""

    is_nested: bool = False
    """Whether another call made this one."""

    @property
    def has_failed(self) -> bool:
        """Whether the call raised an exception."""
        return self.error is not None


def _skip_wait(seconds: float) -> None:
    """Return at once, without letting time pass."""


def _find_no_content(path: str) -> bytes | None:
    """Return None for every file."""


@dataclass(kw_only=True)
class AppContext:
    """The world as its apps see it. With the defaults, a world in which no time passes, for tests."""

    now: Callable[[], float] = lambda: 0.0
    """Returns the simulated time, in seconds since the epoch."""

    seed: int = 0
    """The seed of the run. Together with an app's name it determines the app's ids and random numbers."""

    wait_for_notification: Callable[[float], None] = _skip_wait
    """Lets simulated time pass until a notification is pending, at most this many seconds."""

    read_file_content: Callable[[str], bytes | None] = _find_no_content
    """Returns the content of a scenario file by its path without leading slash, or None if it is unknown."""

    record_call: Callable[[AppCall], None] = lambda call: None
    """Receives every logged call when it has ended."""

    notify_agent: Callable[[Notification], None] = lambda notification: None
    """Receives every notification, regardless of the agent's notification level."""

    apps: dict[str, App] = field(default_factory=dict[str, "App"])
    """The apps of the world by name, in the scenario's order. Each app adds itself."""

    caller: CallerRole | None = None
    """The caller of the current call; maintained by `tool_call`."""

    suppress_nested_logging: bool = False
    """Whether calls nested in the current one are left out of the log; maintained by `tool_call`."""

    def create_random(self, name: str) -> WorldRandom:
        """Return a new random stream for this name."""
        return WorldRandom(self.seed, name)


JSON = dict[str, Any]
"""A JSON object."""


class App:
    """Base of all apps. A world can have several apps of one class under different names."""

    state_keys: ClassVar[tuple[str, ...]] = ()
    """The keys of `app_state` in a scenario file."""

    empty_state: ClassVar[Mapping[str, Any] | None] = None
    """A complete `app_state` without content, as ARE requires it; None if the app needs no state."""

    state_shape: ClassVar[Fields] = Fields()
    """What the values of `app_state` must be; the linter reports those that are something else."""

    def __init__(self, name: str = "", context: AppContext | None = None, state: JSON | None = None) -> None:
        """Create the app and register it in its world.

        Args:
            name: The app's name in the scenario; the class name if empty.
            context: The world; a separate world in which no time passes if omitted.
            state: `app_state` of the scenario file.

        Raises:
            InvalidAppState: The state does not have the shape that the app expects.
        """
        self.name = name or type(self).__name__
        self.context = context or AppContext()
        self.random = self.context.create_random(self.name)
        self.context.apps[self.name] = self
        self._loaded_state: JSON = {}
        try:
            self.load(state or {})
        # Apps index into the state without checking it first, so these are what a state of the wrong shape raises.
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            raise InvalidAppState(self.name, type(self).__name__, f"{type(error).__name__}: {error}") from error

    @classmethod
    def tools(cls) -> Mapping[str, Tool]:
        """Return the tools by name, in the order of declaration."""
        return _collect_tools(cls)

    def load(self, state: JSON) -> None:
        """Load a state. The given object is never modified."""
        self._loaded_state = state

    def state(self) -> JSON:
        """Return the state as in scenario files, with unknown keys and key order preserved.

        Keys that were not changed keep their loaded form: an absent key stays absent, null stays null.
        """
        # An empty value is written only if the loaded one was not empty: absent and null keys keep their form.
        changed = {key: value for key, value in self._mutable_state().items() if value or self._loaded_state.get(key)}
        return self._loaded_state | changed

    def hidden_state(self) -> JSON:
        """Return what the app knows beyond its state, as JSON. State and hidden state together restore the app."""
        return {"draws": self.random.draw_count} | self._extra_hidden_state()

    def restore_hidden_state(self, hidden_state: JSON) -> None:
        """Restore what `hidden_state` returned. The matching state must be loaded first."""
        self.random.draw_count = hidden_state["draws"]

    def build_notification(self, tool: Tool, arguments: Mapping[str, Any]) -> Notification | None:
        """Return the notification that a call of this tool sends to the agent, or None."""
        if tool.notification is None:
            return None
        text = tool.notification.text.format_map(_TemplateArguments(arguments))
        kind = NotificationKind.ENVIRONMENT_NOTIFICATION
        return Notification(level=tool.notification.level, kind=kind, text=f"{type(self).__name__}: {text}")

    def render_result(self, tool: Tool, value: Any) -> str:
        """Return the text that an agent sees for a tool's return value."""
        return tool.success_text or str(value)

    def _mutable_state(self) -> JSON:
        """Return the state keys that can change; all others are dumped as they were loaded."""
        return {}

    def _extra_hidden_state(self) -> JSON:
        """Return what the app knows beyond its state and its random stream."""
        return {}


class _TemplateArguments(dict[str, Any]):
    """Replaces missing arguments by nothing, where ARE raises: a failed event must not stop the run."""

    def __missing__(self, key: str) -> str:
        return ""


@cache
def _collect_tools(app: type[App]) -> Mapping[str, Tool]:
    tools: dict[str, Tool] = {}
    for owner in reversed(app.__mro__):  # base classes first, so that a subclass can override a tool
        for member in vars(owner).values():
            if declared := read_tool(member):
                tools[declared.name] = declared
    return MappingProxyType(tools)

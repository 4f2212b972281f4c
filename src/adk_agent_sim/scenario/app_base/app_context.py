"""The interface between apps and the world they are in: time, randomness, the other apps, logging and notifications.

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

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any

from adk_agent_sim.scenario.app_base.tool import NotificationLevel, Operation
from adk_agent_sim.scenario.app_base.world_random import WorldRandom

if TYPE_CHECKING:
    from adk_agent_sim.scenario.app_base.app import App


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

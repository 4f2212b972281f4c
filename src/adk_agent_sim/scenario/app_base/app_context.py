"""What an app may know of the world it is in: the time, its chance, the other apps, and who hears of calls.

```
world.call(...) --calling.call--> App.method --calling.call--> sibling or own tool
                        |                                          |
                        +---- record(Call), tell(Message) <--------+
```
The engine makes one `Surroundings` a world and hands in what only it can do: tell the time, and let time pass.
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
    """Who makes a call; the kind of the event that it is logged as."""

    AGENT = "agent"
    ENV = "env"
    USER = "user"


class NotificationKind(StrEnum):
    """What the agent is told: something the user says, or something that happened."""

    USER_MESSAGE = "USER_MESSAGE"
    ENVIRONMENT_NOTIFICATION = "ENVIRONMENT_NOTIFICATION"


@dataclass(frozen=True, kw_only=True)
class Notification:
    """Something for the agent's ears, made by a call."""

    level: NotificationLevel
    """The lowest level at which the agent is told."""

    kind: NotificationKind

    text: str


@dataclass(frozen=True, kw_only=True)
class AppCall:
    """One call as it goes into the log; a call made inside another comes first."""

    caller: CallerRole

    operation: Operation

    app: App

    function: str

    arguments: Mapping[str, Any]
    """The arguments as given, without defaults."""

    value: Any = None
    """What it returned."""

    error: Exception | None = None
    """Why it failed, if it did."""

    is_nested: bool = False
    """Whether another call made it."""

    @property
    def has_failed(self) -> bool:
        """Whether it raised."""
        return self.error is not None

    def to_log_row(self) -> list[str]:
        """The call in one line: kind of event, operation, `App__function`, ok or failed."""
        name = f"{self.app.name}__{self.function}"
        return [self.caller.upper(), self.operation.value, name, "failed" if self.has_failed else "ok"]


def _skip_wait(seconds: float) -> None:
    """Let no time pass."""


def _find_no_content(path: str) -> bytes | None:
    """Know no file's content."""


@dataclass(kw_only=True)
class AppContext:
    """The world as its apps see it; with nothing handed in, a world at rest, good for tests."""

    now: Callable[[], float] = lambda: 0.0
    """The simulated time, in seconds since the epoch."""

    seed: int = 0
    """The seed of the run; together with an app's name it decides that app's ids and chance."""

    wait_for_notification: Callable[[float], None] = _skip_wait
    """Let up to so many seconds pass, until there is something to tell the agent."""

    read_file_content: Callable[[str], bytes | None] = _find_no_content
    """What is in a file of the scenario, by its path without the leading slash; None where nothing is known of it."""

    record_call: Callable[[AppCall], None] = lambda call: None
    """Hears of every logged call when it has ended."""

    notify_agent: Callable[[Notification], None] = lambda message: None
    """Hears of everything that calls want the agent to know, whatever the agent's level."""

    apps: dict[str, App] = field(default_factory=dict[str, "App"])
    """The apps of the world by name, in the scenario's order. An app puts itself in."""

    caller: CallerRole | None = None
    """Who made the call that is under way; kept by `calling`."""

    suppress_nested_logging: bool = False
    """Whether calls inside the present one are left out of the log; kept by `calling`."""

    def create_random(self, name: str) -> WorldRandom:
        """The stream of chance that belongs to a name."""
        return WorldRandom(self.seed, name)

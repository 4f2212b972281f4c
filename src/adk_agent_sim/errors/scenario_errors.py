"""Errors about scenarios, their apps and their worlds."""

from __future__ import annotations

from collections.abc import Sequence

from adk_agent_sim.errors.base import Problem, SimulatorError, join_problems


class InvalidScenario(SimulatorError):
    """The file is not a valid scenario."""

    def __init__(self, source: str, problems: Sequence[Problem]) -> None:
        super().__init__(f"Cannot read a scenario from {source}: {join_problems(problems)}.")
        self.source = source
        self.problems = tuple(problems)


class NotConvertible(SimulatorError):
    """The source contains something that the target format cannot represent; nothing was written."""

    def __init__(self, source: str, target: str, reason: str) -> None:
        super().__init__(f"{source} cannot become {target}: {reason}.")
        self.reason = reason


class InvalidStoryStep(SimulatorError):
    """The apps of the world cannot execute a step of a story; the story is unchanged."""

    def __init__(self, step: str, problems: Sequence[Problem]) -> None:
        super().__init__(f"{step} is invalid: {join_problems(problems)}.")
        self.step = step
        self.problems = tuple(problems)


class UnknownApp(SimulatorError):
    """A scenario refers to an app class that is not registered."""

    def __init__(self, name: str, class_name: str, known_classes: Sequence[str]) -> None:
        super().__init__(
            f"Cannot create the app {name[:80]!r}: its class {class_name[:80]!r} is unknown. "
            f"Known classes: {', '.join(known_classes)}. Others are added by the entry point 'adk_agent_sim.apps'."
        )
        self.class_name = class_name


class InvalidAppState(SimulatorError):
    """The state that a scenario defines for an app does not match the app."""

    def __init__(self, app: str, class_name: str, reason: str) -> None:
        super().__init__(
            f"The state of app {app!r:.80} ({class_name}) is invalid: {reason[:200]}. "
            "Correct app_state in the scenario; a scenario exported by ARE or by adksim shows the format."
        )


class AppLoadFailed(SimulatorError):
    """An app of an installed distribution cannot be loaded."""

    def __init__(self, app: str, distribution: str, reason: str) -> None:
        super().__init__(
            f"The app {app} of {distribution} does not load: {reason}. Fix or uninstall that distribution; "
            "its entry point must name a subclass of adk_agent_sim.scenario.apps.App."
        )


class UnknownTool(SimulatorError):
    """The app has no such tool for the caller."""

"""Errors about scenarios, their apps and their worlds, and about benches of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from adk_agent_sim.errors.base import Problem, SimulatorError, join_problems

_MAX_PROBLEMS = 10
"""The number of problems that a message lists; of more, only the count is given."""


@dataclass(frozen=True, kw_only=True)
class ScenarioProblem(Problem):
    """A problem of a scenario file, with its position."""

    field: str = ""
    """The path of the value in the file, such as `events[3].action`; empty for the file as a whole."""

    line: int | None = None
    """The line in the file, from 1; None if it is not known."""

    column: int | None = None
    """The column in the line, from 1; None if it is not known, or the line is enough to find it."""


class InvalidScenario(SimulatorError):
    """The file is not a valid scenario."""

    def __init__(self, source: str, problems: Sequence[Problem]) -> None:
        shown = [*problems[:_MAX_PROBLEMS]]
        if len(problems) > _MAX_PROBLEMS:
            shown.append(Problem(path="", message=f"and {len(problems) - _MAX_PROBLEMS} more"))
        super().__init__(f"Cannot read a scenario from {source}: {join_problems(shown)}.")
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
        self.reason = f"the state of {class_name} does not load: {reason[:200]}"


class AppLoadFailed(SimulatorError):
    """An app of an installed distribution cannot be loaded."""

    def __init__(self, app: str, distribution: str, reason: str) -> None:
        super().__init__(
            f"The app {app} of {distribution} does not load: {reason}. Fix or uninstall that distribution; "
            "its entry point must name a subclass of adk_agent_sim.scenario.apps.App."
        )


class UnknownTool(SimulatorError):
    """The app has no such tool for the caller."""


class NotJudgeable(SimulatorError):
    """A run cannot be judged, which is neither a pass nor a failure."""

    def __init__(self, subject: str, reason: str) -> None:
        super().__init__(f"Cannot judge {subject[:120]}: {reason}.")
        self.reason = reason


class JudgeFailed(NotJudgeable):
    """The model that judges a run did not answer: a rate limit, a missing key, no network. It may answer another time.

    What its client raised is the cause of this error.
    """

    def __init__(self, model: str, reason: str, code: str | int | None = None) -> None:
        super().__init__(f"with the model {model!r:.80}", reason)
        self.code = code
        """The code that the model answered with, if it answered with one."""


class OracleFailed(NotJudgeable):
    """What a scenario expects cannot happen: an event of its own oracle run failed or never happened."""


class InvalidAugmentation(SimulatorError):
    """Options that disturb a run are invalid, or not supported."""

    def __init__(self, option: str, reason: str) -> None:
        super().__init__(f"The augmentation option {option[:80]} cannot be used: {reason}.")
        self.option = option


class InvalidCheckerParam(SimulatorError):
    """An additional check for the judge is invalid."""

    def __init__(self, event_id: str, reason: str) -> None:
        super().__init__(f"The additional check of event {event_id[:120]!r} is invalid: {reason}.")


class InvalidLabels(SimulatorError):
    """Verdicts and labels of people cannot be compared."""

    def __init__(self, source: str, reason: str) -> None:
        super().__init__(f"Cannot compare verdicts with labels: {source}: {reason}.")


class InvalidAnswersFile(SimulatorError):
    """The file with recorded answers to soft checks cannot be used."""

    def __init__(self, source: str, reason: str) -> None:
        super().__init__(f"Cannot use {source} as recorded answers: {reason}.")


class InvalidRunOption(SimulatorError, ValueError):
    """An option of a run in a scenario's world has a value that means nothing."""

    def __init__(self, option: str, value: str, advice: str) -> None:
        super().__init__(f"{option[:1].upper()}{option[1:]} {value[:80]!r} cannot be used: {advice}.")


class WorldToolConflict(SimulatorError):
    """An agent has a tool of its own with the name of a tool of the world."""

    def __init__(self, agent_name: str, tool_name: str) -> None:
        super().__init__(
            f"Agent {agent_name[:80]!r} has a tool of its own with the name {tool_name[:120]!r}, which is also a tool "
            "of the scenario's world. Rename the agent's tool, or remove it: the world's tool is added by itself."
        )


class InvalidBench(SimulatorError, ValueError):
    """The plan of a bench cannot be used: nothing to run, an axis given twice, or an engine that is not there."""


class BenchFolderRefused(SimulatorError):
    """The folder of a bench has other results, cannot be read, or another process writes to it; it is unchanged."""

    def __init__(self, folder: str, reason: str, advice: str) -> None:
        super().__init__(f"Cannot use {folder} as the folder of a bench: {reason}. {advice}")
        self.reason = reason


class BenchesNotComparable(SimulatorError):
    """Two benches have nothing in common, or it is not clear what to compare with what."""

    def __init__(self, reason: str, advice: str) -> None:
        super().__init__(f"The benches cannot be compared: {reason}. {advice}")

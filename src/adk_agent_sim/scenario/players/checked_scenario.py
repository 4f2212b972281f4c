"""Checks a scenario before an agent is blamed: that it can be solved, is not passed by doing nothing, and repeats.

```
oracle  twice ---> passes?          -> solvable            the same trace twice? -+-> deterministic
random  twice ---> fails? -+                               the same trace twice? -+
nothing once  ---> fails? -+-------> not trivially passed
```

Results are kept in the user's data directory, so that badges are there after a restart. A result belongs to the content
of a scenario, not to its file: the annotation of a reviewer does not change it, and another release of this package
checks again.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from importlib.metadata import version
from pathlib import Path
from typing import Any, cast

from pydantic import ConfigDict, computed_field

from adk_agent_sim.errors import InsecureFile, NotJudgeable, OracleFailed, SimulatorError
from adk_agent_sim.persistence.default_path import get_data_folder
from adk_agent_sim.scenario.format.imported_scenario import ScenarioImportedFromJson
from adk_agent_sim.scenario.format.lint import lint
from adk_agent_sim.scenario.format.lint_finding import LocatedFinding
from adk_agent_sim.scenario.format.models import to_json_value
from adk_agent_sim.scenario.players.play_world import (
    PlayEnd,
    PlayLimits,
    create_judged_world,
    judge_world,
    play_world,
)
from adk_agent_sim.scenario.players.random_player import NOTHING, ORACLE, RANDOM, WORLD_PLAYERS
from adk_agent_sim.scenario.players.world_player import OraclePlayer
from adk_agent_sim.scenario.verdict.checker_params import CheckerParams
from adk_agent_sim.scenario.verdict.checker_table import MESSAGE_TO_USER
from adk_agent_sim.scenario.verdict.judge import Judge
from adk_agent_sim.scenario.verdict.soft_check import SoftJudge
from adk_agent_sim.text.escaped_logging import get_logger
from adk_agent_sim.timeline.clock import Clock, WallClock
from adk_agent_sim.timeline.private_files import create_private_folder, read_private_file, write_private_file
from adk_agent_sim.timeline.record import FrozenRecord
from adk_agent_sim.timeline.strict_json import dump_json, parse_json_object

RUN_COUNT = 5
"""The number of runs of a check."""


_ANY_ANSWER_PASSES = (
    "Only messages to the user are expected, and their text is not compared: any answer passes. "
    "Use --judge MODEL to compare it."
)


class CheckStatus(StrEnum):
    """The result of a check in one word, for lists and badges."""

    OK = "ok"
    NOT_SOLVABLE = "not solvable"
    TRIVIAL = "trivially passed"
    NOT_DETERMINISTIC = "not deterministic"
    NOT_JUDGEABLE = "not judgeable"
    LINT_ERRORS = "lint errors"


class CheckedProperty(FrozenRecord):
    """Whether one demand on a scenario holds."""

    model_config = ConfigDict(extra="ignore")

    holds: bool | None
    """None if it is not known, because the scenario cannot be judged."""

    reason: str = ""
    """Why it holds or not, in one sentence."""

    next_step: str = ""
    """What to do if it does not hold."""


class CheckRun(FrozenRecord):
    """One run of a check."""

    model_config = ConfigDict(extra="ignore")

    player: str

    passed: bool

    reason: str
    """Why the player failed; empty if it passed."""

    ended: PlayEnd

    step_count: int

    seconds: float
    """The simulated duration."""


class ScenarioCheck(FrozenRecord):
    """The result of a check."""

    model_config = ConfigDict(extra="ignore")

    scenario_id: str

    seed: int
    """The seed of the random player."""

    solvable: CheckedProperty

    not_trivial: CheckedProperty

    deterministic: CheckedProperty

    runs: tuple[CheckRun, ...] = ()

    notes: tuple[str, ...] = ()
    """What the check cannot decide, and what to know about its result."""

    problem: str = ""
    """Why the scenario cannot be judged; empty if it can."""

    findings: tuple[LocatedFinding, ...] = ()
    """What the linter finds."""

    @property
    def has_lint_errors(self) -> bool:
        """Whether the linter finds errors; warnings alone are none."""
        return any(each.severity == "error" for each in self.findings)

    @computed_field
    @property
    def status(self) -> CheckStatus:
        """The result in one word: the first demand that does not hold, or that the file has errors."""
        if self.problem:
            return CheckStatus.NOT_JUDGEABLE
        for each, status in (
            (self.solvable, CheckStatus.NOT_SOLVABLE),
            (self.not_trivial, CheckStatus.TRIVIAL),
            (self.deterministic, CheckStatus.NOT_DETERMINISTIC),
        ):
            if not each.holds:
                return status
        return CheckStatus.LINT_ERRORS if self.has_lint_errors else CheckStatus.OK


def check_scenario(
    scenario: ScenarioImportedFromJson,
    *,
    seed: int = 0,
    soft: SoftJudge | str | None = None,
    checker_params: CheckerParams | None = None,
    limits: PlayLimits | None = None,
    max_wall_seconds: float | None = None,
    clock: Clock | None = None,
    progress: Callable[[int, int], object] | None = None,
) -> ScenarioCheck:
    """Lint a scenario, and check it with players that need no model. Blocks; safe to call in a thread.

    Args:
        scenario: The scenario.
        seed: The seed of the random player.
        soft: Answers whether texts mean the same; None does not compare texts.
        checker_params: Additional checks of the judge.
        limits: When each run ends at the latest; by default more steps than any of the players needs.
        max_wall_seconds: The most real time that it may take, checked before each action of a player.
        clock: The source of real time.
        progress: Called with the number of finished runs and their total.

    Returns:
        The result. A scenario that cannot be judged is a result too, not an exception.
    """
    clock = clock or WallClock()
    start = clock.monotonic()

    def is_interrupted() -> bool:
        return max_wall_seconds is not None and clock.monotonic() - start > max_wall_seconds

    # Of the actions of the oracle, waits and repeated calls included, there are a few for each event.
    limits = limits or PlayLimits(max_steps=1_000 + 10 * len(scenario.events))
    checker = _Checker(seed=seed, limits=limits, is_interrupted=is_interrupted, progress=progress)
    try:
        judge = Judge(scenario, soft=soft, checker_params=checker_params)
        _require_no_validations(judge)
        check = checker.check(judge)
    except _TookTooLong:
        problem = f"The check took longer than {max_wall_seconds:g} s. Run `adksim scenario check` without a limit."
        check = _build_unknown(scenario.scenario_id, seed, problem)
    except OracleFailed as error:
        check = _build_unsolvable(scenario.scenario_id, seed, error)
    except SimulatorError as error:
        check = _build_unknown(scenario.scenario_id, seed, str(error))
    return check.model_copy(update={"findings": tuple(lint(scenario))})


class _TookTooLong(Exception):
    """A run was interrupted."""


@dataclass
class _Checker:
    seed: int
    limits: PlayLimits
    is_interrupted: Callable[[], bool]
    progress: Callable[[int, int], object] | None
    done_count: int = 0

    def check(self, judge: Judge) -> ScenarioCheck:
        oracle, first_trace = self._play(judge, ORACLE)
        _, second_trace = self._play(judge, ORACLE)
        oracle_difference = _find_difference(first_trace, second_trace)
        nothing, _ = self._play(judge, NOTHING)
        random, first_trace = self._play(judge, RANDOM)
        _, second_trace = self._play(judge, RANDOM)
        random_difference = _find_difference(first_trace, second_trace)
        return ScenarioCheck(
            scenario_id=judge.scenario.scenario_id,
            seed=self.seed,
            solvable=_decide_solvable(oracle),
            not_trivial=_decide_not_trivial(nothing, random),
            deterministic=_decide_deterministic({ORACLE: oracle_difference, RANDOM: random_difference}),
            runs=(oracle, nothing, random),
            notes=_list_notes(judge),
        )

    def _play(self, judge: Judge, name: str) -> tuple[CheckRun, str]:
        """Play once, and return the run and its trace as text."""
        world = create_judged_world(judge)
        player = WORLD_PLAYERS[name](world, self.seed)
        run = play_world(world, player, limits=self.limits, is_interrupted=self.is_interrupted)
        if run.ended is PlayEnd.INTERRUPTED:
            raise _TookTooLong
        verdict = judge_world(judge, world)
        reason = "Nothing happened in the run." if verdict is None else verdict.reason
        problems = player.problems if isinstance(player, OraclePlayer) else []
        if reason and (problems or world.failed_events):
            failures = [f"The event {each.event_id!r:.120} failed: {each.why:.300}" for each in world.failed_events]
            reason = f"{[*problems, *failures][0].removesuffix('.')}. {reason}"
        self.done_count += 1
        if self.progress is not None:
            self.progress(self.done_count, RUN_COUNT)
        played = CheckRun(
            player=name,
            passed=verdict is not None and verdict.passed,
            reason=reason,
            ended=run.ended,
            step_count=run.step_count,
            seconds=world.elapsed,
        )
        return played, json.dumps(to_json_value(run.trace), default=str)


def _require_no_validations(judge: Judge) -> None:
    if judge.plan.validation_ids:
        raise NotJudgeable(
            judge.scenario.scenario_id,
            "it has milestones or minefields (events of type VALIDATION), which are Python and not in the file. "
            "Check it without them, or call play_world with a World that watches them",
        )


def _decide_solvable(oracle: CheckRun) -> CheckedProperty:
    if oracle.passed:
        reason = f"The oracle passed: {oracle.step_count} steps in {oracle.seconds:g} s of simulated time."
        return CheckedProperty(holds=True, reason=reason)
    reason = f"An agent that does what is expected fails ({oracle.ended}). {oracle.reason}"
    return CheckedProperty(
        holds=False,
        reason=reason,
        next_step="Correct the event that is named, or what it depends on; see `adksim scenario run --player oracle`.",
    )


def _decide_not_trivial(nothing: CheckRun, random: CheckRun) -> CheckedProperty:
    if nothing.passed:
        return CheckedProperty(
            holds=False,
            reason="An agent that does nothing passes.",
            next_step="Expect an action of the agent that changes something or answers the user.",
        )
    if random.passed:
        return CheckedProperty(
            holds=False,
            reason=f"An agent that calls tools at random passes, in {random.step_count} steps.",
            next_step="Expect actions with particular arguments, or compare texts with --judge MODEL.",
        )
    return CheckedProperty(holds=True, reason="Doing nothing fails, and so does calling tools at random.")


def _decide_deterministic(differences: Mapping[str, str]) -> CheckedProperty:
    for player, path in differences.items():
        if path:
            return CheckedProperty(
                holds=False,
                reason=f"Two runs of the player {player} with the same seed differ, first at {path:.200}.",
                next_step="Take time and random numbers in apps from the world: `self.context.now()`, `self.random`.",
            )
    return CheckedProperty(holds=True, reason="Two runs of the oracle, and two at random, gave the same traces.")


def _list_notes(judge: Judge) -> tuple[str, ...]:
    tools = {event.tool for turn in judge.plan.turns for event in turn.events if event.kind == "AGENT"}
    return () if judge.compares_texts or tools != {MESSAGE_TO_USER} else (_ANY_ANSWER_PASSES,)


def _build_unknown(scenario_id: str, seed: int, problem: str) -> ScenarioCheck:
    unknown = CheckedProperty(holds=None, reason="This is not known, because the scenario cannot be judged.")
    return ScenarioCheck(
        scenario_id=scenario_id,
        seed=seed,
        solvable=unknown,
        not_trivial=unknown,
        deterministic=unknown,
        problem=problem,
    )


def _build_unsolvable(scenario_id: str, seed: int, error: OracleFailed) -> ScenarioCheck:
    """Return the result for a scenario whose expected actions fail even without an agent."""
    advice = "Correct the event; `adksim scenario run --oracle` shows all problems."
    reason = f"{error.reason[:1].upper()}{error.reason[1:]}".partition(". Fix the scenario")[0]
    solvable = CheckedProperty(holds=False, reason=f"{reason}.", next_step=advice)
    return _build_unknown(scenario_id, seed, "").model_copy(update={"solvable": solvable})


def _find_difference(first: str, second: str) -> str:
    """Return the path of the first value in which two traces differ, or an empty text."""
    return "" if first == second else _find_different_path(json.loads(first), json.loads(second))


def _find_different_path(first: Any, second: Any) -> str:
    path = "trace"
    while True:
        key = _find_different_key(first, second)
        if key is None:
            return path
        path, first, second = f"{path}[{key!r}]", first[key], second[key]


def _find_different_key(first: Any, second: Any) -> Any:
    """Return a key or index under which both have a value and the values differ."""
    if isinstance(first, dict) and isinstance(second, dict):
        one, other = cast("dict[str, Any]", first), cast("dict[str, Any]", second)
        return next((key for key in one if key in other and one[key] != other[key]), None)
    if isinstance(first, list) and isinstance(second, list):
        pairs = zip(cast("list[Any]", first), cast("list[Any]", second), strict=False)
        return next((place for place, (each, match) in enumerate(pairs) if each != match), None)
    return None


_log = get_logger(__name__)


class CheckCache:
    """The results of checks without a judge of texts, by the content of scenarios."""

    def __init__(self, folder: Path | None = None) -> None:
        """Use a folder; by default one in the user's data directory. It is created when something is kept."""
        self._folder = folder or get_data_folder() / "checks"

    def find(self, scenario: ScenarioImportedFromJson) -> ScenarioCheck | None:
        """Return the kept result, without its runs; None if there is none that can be read."""
        if not self._folder.is_dir():
            return None
        try:
            return ScenarioCheck.model_validate(parse_json_object(read_private_file(self._get_path(scenario))))
        except (OSError, ValueError, InsecureFile):
            return None

    def save(self, scenario: ScenarioImportedFromJson, check: ScenarioCheck) -> None:
        """Save a result, unless the scenario could not be judged, which may have been for lack of time."""
        if check.problem:
            return
        kept = check.model_copy(update={"runs": ()})
        try:
            create_private_folder(self._folder)
            write_private_file(
                self._get_path(scenario), dump_json(kept.model_dump(mode="json"), indent=2, ensure_ascii=True) + "\n"
            )
        except (OSError, InsecureFile) as error:
            # The result is shown all the same; only the next start does not know it.
            _log.warning("The result of a check cannot be kept in %s: %s", self._folder, error)

    def _get_path(self, scenario: ScenarioImportedFromJson) -> Path:
        content = dump_json(scenario.trace.model_dump(mode="json", exclude={"metadata": {"annotation"}}))
        # JSON allows lone surrogates, which UTF-8 cannot encode strictly.
        digest = sha256(f"{version('adksim')} {content}".encode("utf-8", "surrogatepass")).hexdigest()
        return self._folder / f"{digest}.json"

"""The plan of a bench: every combination of agents, models, players, scenarios, rules, seeds and run numbers.

tasks = find_tasks(["scenarios/"])
plan = build_plan(tasks, BenchAxes(agents=("my_agents/assistant",), runs=3))

The same plan gives the same runs: engines only decide where and when each one is executed.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from hashlib import blake2b
from itertools import product
from pathlib import Path
from typing import Any

from adk_agent_sim.adk.worlds.run_plan import DEFAULT_AGENT, WorldRunPlan
from adk_agent_sim.bench.bench_result import RunKey
from adk_agent_sim.bench.bench_task import RUNS_NAME, BenchTask
from adk_agent_sim.errors import InvalidBench, InvalidPlayer
from adk_agent_sim.timeline.canonical_json import encode_json
from adk_agent_sim.timeline.json_conversion import to_json_value
from adk_agent_sim.timeline.player_spec import PlayerKind, Seat, format_players, parse_seat_player
from adk_agent_sim.timeline.seeded_random import draw_bits

NO_RULES = "none"
"""The value of the axis of rules for runs without any, to compare with those that have some."""


def label_paths(axis: str, paths: Sequence[str], *, words: frozenset[str] = frozenset()) -> Mapping[str, str]:
    """Return a label for each path: its last name, or more of it where two paths end alike.

    Args:
        axis: What the paths are, for the error.
        paths: The paths.
        words: Values that are no paths, such as `default`, and label themselves.

    Raises:
        InvalidBench: Two paths denote the same.
    """
    parts = {path: (path,) if path in words else Path(path).resolve().parts for path in paths}
    check_unique(axis, [str(Path(*each)) for each in parts.values()] if len(parts) == len(paths) else paths)
    labels: dict[str, str] = {}
    for path, own in parts.items():
        # Paths are unique, so at the latest the whole path tells one from the others.
        length = next(
            size
            for size in range(1, len(own) + 1)
            if Counter(each[-size:] for each in parts.values())[own[-size:]] == 1
        )
        labels[path] = "/".join(own[-length:])
    return labels


def check_unique(axis: str, values: Sequence[object]) -> None:
    """Raise InvalidBench if an axis has a value twice, whose runs would be the same."""
    for value, count in Counter(values).items():
        if count > 1:
            raise InvalidBench(f"The {axis} {value} is given {count} times: give it once, and --runs for more runs.")


PLAN_VERSION = 1

_FILE_PLAYERS = (PlayerKind.REPLAY, PlayerKind.SCRIPT)

_REFUSED_PLAYERS: Mapping[str, str] = {
    PlayerKind.RECORD: "whose runs would all write to one file. With --timeline, each run leaves a recording of its "
    "own in DIR/runs, which the player replay:FILE repeats.",
    PlayerKind.HUMAN: "where nobody could answer. Play single runs with `adksim scenario run --player human`.",
}
"""Players that no bench can have: what they would need, and what to do instead."""


_NO_TASKS = (
    "There is nothing to run: no scenario or eval case is left. Check --filter and the paths, in which folders with "
    "the results of a bench are skipped."
)


@dataclass(frozen=True, kw_only=True)
class BenchAxes:
    """The values of each axis; their product is the plan."""

    agents: tuple[str, ...] = (DEFAULT_AGENT,)
    """Folders as `adk run` takes them, or `default`."""

    models: tuple[str, ...] = ()
    """Models that answer instead of the agents' own."""

    players: tuple[str, ...] = ()
    """Who plays the agents' models, as `scenario run --player` takes it."""

    rules: tuple[str, ...] = ()
    """Files with environment rules, or `none`."""

    seeds: tuple[int, ...] = ()
    """The base seeds; without any, each scenario's own."""

    runs: int = 1
    """How often each combination is run."""


@dataclass(frozen=True, kw_only=True)
class RunFiles:
    """The files that each run leaves in the folder of its bench."""

    report: bool = True
    """A page of HTML."""

    trace: bool = False
    """What happened in the world, in ARE's format."""

    eval_set: bool = False
    """The session as an EvalSet with one case."""

    markdown: bool = False

    timeline: bool = False
    """The whole session as JSON Lines."""


@dataclass(frozen=True, kw_only=True)
class PlannedRun:
    """One run of a plan."""

    index: int
    """Its place in the plan, from 0."""

    key: RunKey

    task: BenchTask

    plan: WorldRunPlan
    """What determines the run; its files are chosen by whoever executes it."""

    @property
    def stem(self) -> str:
        """The beginning of the names of its files, relative to the folder of the bench."""
        return build_stem(self.index)

    @property
    def model_group(self) -> str:
        """What shares the limits of a provider: the model, or the agent, which asks its own models."""
        return self.key.model or f"the models of {self.key.agent}"


@dataclass(frozen=True, kw_only=True)
class BenchPlan:
    """All runs of a bench, in order."""

    runs: tuple[PlannedRun, ...]

    files: RunFiles = field(default_factory=RunFiles)

    description: dict[str, Any]
    """What determines the plan, as JSON: two plans with the same description are the same."""

    @property
    def plan_id(self) -> str:
        """Identifies the plan."""
        return blake2b(encode_json(self.description), digest_size=16).hexdigest()

    def __len__(self) -> int:
        return len(self.runs)


def build_plan(
    tasks: Sequence[BenchTask],
    axes: BenchAxes,
    template: WorldRunPlan | None = None,
    files: RunFiles | None = None,
    source: Mapping[str, Any] | None = None,
) -> BenchPlan:
    """Return the plan of all combinations, ordered by task, then by the axes in the order of `BenchAxes`.

    Args:
        tasks: The scenarios and eval cases.
        axes: The other axes.
        template: What all runs have in common: options, profile and judge.
        files: The files of each run.
        source: Which dataset the tasks come from, if from one.

    Raises:
        InvalidBench: There is nothing to run, or the axes contradict each other.
    """
    template, files = template or WorldRunPlan(), files or RunFiles()
    if not tasks:
        raise InvalidBench(_NO_TASKS)
    check_axis_values(axes)
    agents = label_paths("agent", axes.agents, words=frozenset({DEFAULT_AGENT}))
    rules = label_paths("rules file", axes.rules, words=frozenset({NO_RULES}))
    combinations = product(
        tasks,
        axes.agents,
        axes.models or ("",),
        axes.players or ("",),
        axes.rules or ("",),
        axes.seeds or (None,),
        range(1, axes.runs + 1),
    )
    runs: list[PlannedRun] = []
    for index, (task, agent, model, player, rule_file, seed, number) in enumerate(combinations):
        base = task.seed if seed is None else seed
        key = RunKey(
            scenario=task.label,
            agent=agents[agent],
            model=model,
            player=player,
            rules=rules.get(rule_file, ""),
            seed=base,
            run=number,
        )
        plan = replace(
            template,
            scenario=task.file,
            scenario_id=task.task_id,
            agent=agent,
            model=model or None,
            player=player or "real",
            rules=rule_file if rule_file not in ("", NO_RULES) else None,
            options=replace(template.options, seed=derive_seed(base, number), run_number=number),
        )
        runs.append(PlannedRun(index=index, key=key, task=task, plan=plan))
    description = _describe(tasks, axes, agents, rules, template, files)
    description |= {"dataset": dict(source)} if source is not None else {}
    return BenchPlan(runs=tuple(runs), files=files, description=description)


def find_run_index(description: Mapping[str, Any], key: RunKey) -> int | None:
    """Return the place of a run in the plan of a description, from 0; None if the plan has no such run."""
    axes: list[tuple[Sequence[Any], Any]] = [
        ([task["label"] for task in description["scenarios"]], key.scenario),
        (list(description["agents"]), key.agent),
        (description["models"] or [""], key.model),
        (description["players"] or [""], key.player),
        (list(description["rules"]) or [""], key.rules),
        (description["seeds"] or [key.seed], key.seed),
        (range(1, description["runs"] + 1), key.run),
    ]
    index = 0
    for values, value in axes:
        if value not in values:
            return None
        index = index * len(values) + values.index(value)
    return index


def build_stem(index: int) -> str:
    """Return the beginning of the names of a run's files, relative to the folder of its bench."""
    return f"{RUNS_NAME}/{index + 1:05d}"


def derive_seed(base: int, number: int) -> int:
    """Return the seed of a run: the base itself for the first one, another one for each further run."""
    return base if number == 1 else draw_bits(base, "bench", number) >> 33


def check_axis_values(axes: BenchAxes) -> None:
    """Raise InvalidBench if the axes are empty, have a value twice, or contradict each other."""
    if not axes.agents or axes.runs < 1:
        raise InvalidBench("There is nothing to run: give at least one --agent, and --runs 1 or more.")
    for name, values in (("model", axes.models), ("player", axes.players), ("seed", axes.seeds)):
        check_unique(name, values)
    if axes.models and any(player != "real" for player in axes.players):
        raise InvalidBench(
            "--model and --player exclude each other, because only the player real asks a model. "
            "Run two benches, with one of the options each."
        )
    for player in axes.players:
        try:
            parse_seat_player(Seat.BENCH_MODEL, player)
        except InvalidPlayer as error:
            if problem := _REFUSED_PLAYERS.get(player.partition(":")[0]):
                raise InvalidBench(f"The player {player} cannot be used in a bench, {problem}") from None
            forms = format_players(Seat.BENCH_MODEL)
            raise InvalidBench(f"The player {player!r} cannot be used in a bench: give {forms}.") from error


def _describe(
    tasks: Sequence[BenchTask],
    axes: BenchAxes,
    agents: Mapping[str, str],
    rules: Mapping[str, str],
    template: WorldRunPlan,
    files: RunFiles,
) -> dict[str, Any]:
    contents = {path: _digest_file(path) for path in axes.rules if path != NO_RULES}
    for player in axes.players:
        kind, _, path = player.partition(":")
        if kind in _FILE_PLAYERS:
            contents[player] = _digest_file(path)
    # Both differ from run to run and follow from the axes, so they do not belong to what all runs share.
    options: dict[str, Any] = asdict(replace(template.options, seed=None, run_number=1))
    # The order of a set differs between processes, and the id of the plan must not.
    options["agents"] = sorted(template.options.agents)
    return to_json_value(
        {
            "version": PLAN_VERSION,
            "scenarios": [_describe_task(task) for task in tasks],
            "agents": {label: _resolve(path) for path, label in agents.items()},
            "models": axes.models,
            "players": axes.players,
            "rules": {label: _resolve(path) for path, label in rules.items()},
            "seeds": axes.seeds,
            "runs": axes.runs,
            "contents": contents,
            "options": options,
            "profile": template.profile,
            "judge": template.judge,
            "files": asdict(files),
        }
    )


def _describe_task(task: BenchTask) -> dict[str, Any]:
    described = {"label": task.label, "kind": task.kind, "digest": task.digest, "tags": task.tags}
    return described if task.criteria is None else {**described, "criteria": task.criteria.model_dump()}


def _resolve(path: str) -> str:
    """Return the path itself, however it was written; the words of an axis are no paths."""
    return path if path in (DEFAULT_AGENT, NO_RULES) else str(Path(path).resolve())


def _digest_file(path: str) -> str:
    try:
        return blake2b(Path(path).read_bytes(), digest_size=8).hexdigest()
    except OSError as error:
        raise InvalidBench(f"{path} cannot be read: {error.strerror or error}. Check the path.") from error

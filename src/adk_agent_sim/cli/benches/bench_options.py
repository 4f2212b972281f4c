"""The options of `adksim bench`: the axes, what is run, and how; those of the world are those of `scenario run`."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from adk_agent_sim.cli.scenarios.scenario_run_options import WORLD_OPTIONS, WorldSettings
from adk_agent_sim.cli.shared_options import combine_options, group_options

if TYPE_CHECKING:
    from adk_agent_sim.adk.worlds.run_plan import WorldRunPlan
    from adk_agent_sim.bench.bench_plan import BenchAxes, RunFiles
    from adk_agent_sim.bench.bench_task import TaskFilter
    from adk_agent_sim.bench.hub_dataset import HubSplit

_FOLDER = click.Path(file_okay=False, path_type=Path)

_AXIS_OPTIONS = (
    click.option(
        "--agent",
        "agents",
        multiple=True,
        metavar="AGENT_DIR|default",
        help="An agent: a folder as `adk run` takes it, or `default`, the built-in assistant. Repeatable.",
    ),
    click.option(
        "--player",
        "players",
        multiple=True,
        metavar="PLAYER",
        help="Who plays the agents' models: real (by default), oracle, nothing, random, script:FILE or replay:FILE. "
        "Repeatable.",
    ),
    click.option(
        "--model", "models", multiple=True, metavar="NAME", help="A model instead of the agents' own. Repeatable."
    ),
    click.option("--model-provider", metavar="P", help="The provider of every --model: P/NAME in ADK."),
    click.option(
        "--rules",
        multiple=True,
        metavar="FILE|none",
        help="Environment rules on top of the scenarios, or `none` for runs without any. Repeatable.",
    ),
    click.option(
        "--seed",
        "seeds",
        type=int,
        multiple=True,
        help="Base seed; each run's seed is derived from it. By default the scenario's. Repeatable.",
    ),
    click.option(
        "--runs", type=click.IntRange(min=1), default=1, show_default=True, help="The runs of each combination."
    ),
)

_TASK_OPTIONS = (
    click.option(
        "--filter",
        "filters",
        multiple=True,
        metavar="tag=NAME|id=NAME",
        help="Only these scenarios; NAME may be a comma-separated list with `*` wildcards. Repeatable: all must match.",
    ),
    click.option(
        "--scenario", "scenario_ids", multiple=True, metavar="ID", help="Only the scenario with this id. Repeatable."
    ),
    click.option("--limit", type=click.IntRange(min=1), metavar="N", help="Only the first N scenarios."),
    click.option("--hf", "hf_dataset", metavar="DATASET", help="Scenarios of a Hugging Face dataset, instead of PATH."),
    click.option("--hf-split", metavar="SPLIT", help="With --hf: the split, such as validation."),
    click.option("--hf-config", metavar="C", help="With --hf: the configuration, if the dataset has several."),
    click.option(
        "--fs-content",
        type=click.Path(exists=True, file_okay=False, path_type=Path),
        help="The folder of the apps' files.",
    ),
)

_FILE_OPTIONS = (
    click.option("--report/--no-report", default=True, help="Whether each run leaves a page of HTML in DIR/runs."),
    click.option("--trace", is_flag=True, help="Each run also leaves a trace in ARE's format."),
    click.option("--eval-set", is_flag=True, help="Each run also leaves an EvalSet with one case."),
    click.option("--markdown", is_flag=True, help="Each run also leaves a Markdown report."),
    click.option("--timeline", is_flag=True, help="Each run also leaves its session as JSON Lines."),
)

_ENGINE_OPTIONS = (
    click.option("--out", "folder", type=_FOLDER, required=True, metavar="DIR", help="Where everything is written."),
    click.option("--resume", is_flag=True, help="Run what is missing in DIR, and what ended with an error."),
    click.option("--workers", type=click.IntRange(min=1), help="Runs at the same time; by default one per core."),
    click.option(
        "--engine",
        type=click.Choice(["processes", "ray"]),
        default="processes",
        show_default=True,
        help="Where runs are executed: on this machine, or on a Ray cluster, which needs the package ray.",
    ),
    click.option("--ray-address", metavar="ADDRESS", help="With --engine ray: an existing cluster, such as auto."),
    click.option(
        "--run-timeout",
        default="60m",
        show_default=True,
        metavar="DURATION",
        help="Maximum real time of a run; a longer one is killed and recorded as a timeout.",
    ),
    click.option(
        "--rate-limit-wait",
        default="2s",
        show_default=True,
        metavar="DURATION",
        help="How long runs of a model wait after its first rate limit; twice as long after each further one.",
    ),
    click.option(
        "--db", "database", metavar="URL|PATH", help="Also store each run's session in this database, for the browser."
    ),
    click.option(
        "--fail-under",
        type=click.FloatRange(0, 1),
        metavar="SHARE",
        help="Exit with 1 if a smaller share of the runs passed, such as 0.8. Errors and timeouts count as not passed.",
    ),
)


@dataclass(frozen=True, kw_only=True)
class BenchSettings:
    """The values of the options, as they were given."""

    agents: tuple[str, ...]
    players: tuple[str, ...]
    models: tuple[str, ...]
    model_provider: str | None
    rules: tuple[str, ...]
    seeds: tuple[int, ...]
    runs: int
    filters: tuple[str, ...]
    scenario_ids: tuple[str, ...]
    limit: int | None
    hf_dataset: str | None
    hf_split: str | None
    hf_config: str | None
    fs_content: Path | None
    report: bool
    trace: bool
    eval_set: bool
    markdown: bool
    timeline: bool
    folder: Path
    resume: bool
    workers: int | None
    engine: str
    ray_address: str | None
    run_timeout: str
    rate_limit_wait: str
    database: str | None
    fail_under: float | None
    world: WorldSettings
    """The options of the world, which all runs have in common."""

    def build_axes(self) -> BenchAxes:
        """Return the axes; raise UsageError if nobody is named who could run."""
        from adk_agent_sim.adk.worlds.other_model import join_model_name
        from adk_agent_sim.bench.bench_plan import BenchAxes

        if not (self.agents or self.players or self.models):
            raise click.UsageError(
                "Add --agent AGENT_DIR, or --agent default for the built-in assistant; --player oracle tries scenarios "
                "without a model."
            )
        if self.model_provider is not None and not self.models:
            raise click.UsageError("--model-provider needs --model: it says where the models are.")
        return BenchAxes(
            agents=self.agents or ("default",),
            models=tuple(join_model_name(self.model_provider, name) for name in self.models),
            players=self.players,
            rules=self.rules,
            seeds=self.seeds,
            runs=self.runs,
        )

    def check_paths(self, paths: tuple[str, ...]) -> None:
        """Raise UsageError if there are neither paths nor a dataset, or both."""
        if (self.hf_dataset is None) == (not paths):
            raise click.UsageError("Give either PATH... or --hf DATASET --hf-split SPLIT.")
        if self.hf_dataset is None and (self.hf_split or self.hf_config):
            raise click.UsageError("--hf-split and --hf-config need --hf DATASET.")
        if self.hf_dataset is not None and self.hf_split is None:
            raise click.UsageError("--hf needs --hf-split SPLIT, such as validation.")

    def build_source(self) -> HubSplit | None:
        """Return the dataset that the scenarios come from; None if they come from paths."""
        from adk_agent_sim.bench.hub_dataset import HubSplit

        if self.hf_dataset is None or self.hf_split is None:
            return None
        return HubSplit(dataset=self.hf_dataset, split=self.hf_split, config=self.hf_config)

    def build_filter(self) -> TaskFilter:
        """Return which scenarios are run; raise InvalidBench if a filter is wrong."""
        from adk_agent_sim.bench.bench_task import parse_filter

        ids = [f"id={','.join(self.scenario_ids)}"] if self.scenario_ids else []
        return parse_filter([*self.filters, *ids], self.limit)

    def build_template(self, judge: str) -> WorldRunPlan:
        """Return what all runs have in common; raise InvalidRunOption if an option is wrong."""
        from adk_agent_sim.adk.worlds.run_plan import WorldRunPlan

        return WorldRunPlan(
            profile=self.world.profile,
            judge=None if judge == "scripted" else judge,
            options=self.world.build_options(None, self.fs_content.resolve() if self.fs_content else None),
        )

    def build_files(self) -> RunFiles:
        """Return what each run leaves behind."""
        from adk_agent_sim.bench.bench_plan import RunFiles

        return RunFiles(
            report=self.report,
            trace=self.trace,
            eval_set=self.eval_set,
            markdown=self.markdown,
            # The sessions of a database are read from there.
            timeline=self.timeline or self.database is not None,
        )


_SETTINGS = group_options("settings", BenchSettings, ())

_OPTIONS = (*_ENGINE_OPTIONS[:2], *_AXIS_OPTIONS, *_TASK_OPTIONS, *_ENGINE_OPTIONS[2:], *WORLD_OPTIONS, *_FILE_OPTIONS)

bench_options = combine_options(group_options("world", WorldSettings, _OPTIONS), _SETTINGS)
"""The options of a command that runs a bench; it gets them as `settings`."""

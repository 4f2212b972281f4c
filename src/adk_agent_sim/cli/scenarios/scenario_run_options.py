"""The options of `adksim scenario run` for an agent: who plays, the limits, the noise, and what is written."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from adk_agent_sim.cli.exit_codes import parse_limit, report_wrong_option
from adk_agent_sim.cli.shared_options import group_options

if TYPE_CHECKING:
    from adk_agent_sim.adk.worlds.run_exports import RunExports
    from adk_agent_sim.adk.worlds.run_options import WorldRunOptions
    from adk_agent_sim.scenario.format.augmentation_options import AugmentationOptions

_FILE = click.Path(dir_okay=False, path_type=Path)

_SEAT_OPTIONS = (
    click.option(
        "--agent",
        metavar="AGENT_DIR|default",
        help="The agent: a folder as `adk run` takes it, or `default`, the built-in assistant.",
    ),
    click.option(
        "--player",
        metavar="PLAYER",
        help="Who plays the agent's model: real (by default), human (you, here or with --web), oracle, nothing, "
        "random, script:FILE, replay:FILE or record:FILE.",
    ),
    click.option("--model", metavar="NAME", help="The model to ask instead of the agent's own."),
    click.option(
        "--model-provider", metavar="P", help="The provider of --model: P/NAME in ADK, with google-adk[extensions]."
    ),
    click.option("--rules", type=_FILE, help="Environment rules that apply on top: faults in the scenario."),
    click.option(
        "--run-number",
        type=click.IntRange(min=1),
        default=1,
        show_default=True,
        help="The run number, from which random draws are derived.",
    ),
)

WORLD_OPTIONS = (
    click.option("--profile", help="With --rules: the profile of the rules."),
    click.option(
        "--thinking",
        default="fixed:1s",
        show_default=True,
        metavar="fixed:1s|measured|random|zero",
        help="How much simulated time passes while the model thinks.",
    ),
    click.option(
        "--stop-on-rejection/--no-stop-on-rejection",
        default=True,
        show_default=True,
        help="Whether the run ends when the judge rejects a turn; the verdict is the same.",
    ),
    click.option(
        "--max-steps", type=click.IntRange(min=1), default=200, show_default=True, help="Maximum number of model calls."
    ),
    click.option(
        "--max-duration", metavar="DURATION", help="Maximum simulated time, such as 10m; by default the scenario's."
    ),
    click.option("--max-wall-time", metavar="DURATION", help="Maximum real time, such as 300s; by default no limit."),
    click.option(
        "--notifications",
        type=click.Choice(["LOW", "MEDIUM", "HIGH"], case_sensitive=False),
        default="MEDIUM",
        show_default=True,
        help="How much the agent is notified of.",
    ),
    click.option(
        "--world-agent",
        "world_agents",
        multiple=True,
        metavar="NAME",
        help="Give the world's tools only to this agent. Repeatable.",
    ),
    click.option(
        "--noise",
        is_flag=True,
        help="The format's noise: 10% failing calls, 10 unrelated events a minute, and tools with other names and "
        "descriptions.",
    ),
    click.option(
        "--tool-failure-probability",
        type=click.FloatRange(0, 1),
        metavar="P",
        help="The probability that a valid call of the agent fails. Its final text always reaches the user.",
    ),
    click.option(
        "--tool-augmentation",
        type=click.Choice(["names", "descriptions", "both"]),
        help="Offer the world's tools under other names or with other descriptions.",
    ),
    click.option(
        "--env-events-per-minute",
        type=click.IntRange(min=0),
        metavar="N",
        help="Unrelated events per minute, on average.",
    ),
    click.option("--a2a-app-prop", type=click.FloatRange(0, 1), metavar="P", help="Not supported: rejected."),
)
"""How the world treats the agent. A bench has the same for all its runs."""

_FILE_OPTIONS = (
    click.option("--trace", type=_FILE, help="Write what happened as a trace in ARE's format."),
    click.option("--eval-set", type=_FILE, help="Append the session to this EvalSet."),
    click.option("--markdown", type=_FILE, help="Write the session as a Markdown report."),
    click.option("--report", type=_FILE, help="Write a self-contained HTML report."),
    click.option("--timeline", type=_FILE, help="Write the whole session as JSON Lines."),
)


@dataclass(frozen=True, kw_only=True)
class WorldSettings:
    """The values of the options of the world, as they were given."""

    profile: str | None
    thinking: str
    stop_on_rejection: bool
    max_steps: int
    max_duration: str | None
    max_wall_time: str | None
    notifications: str
    world_agents: tuple[str, ...]
    noise: bool
    tool_failure_probability: float | None
    tool_augmentation: str | None
    env_events_per_minute: int | None
    a2a_app_prop: float | None
    run_number: int = 1
    """A bench numbers its runs itself."""

    def build_options(self, seed: int | None, fs_content: Path | None) -> WorldRunOptions:
        """Return the options of the runs.

        Raises:
            click.UsageError: A duration or the thinking time is wrong, or agent-to-agent augmentation was asked for.
        """
        from adk_agent_sim.adk.worlds.run_options import WorldRunOptions, parse_thinking_time

        with report_wrong_option("--thinking"):
            thinking = parse_thinking_time(self.thinking)
        return WorldRunOptions(
            seed=seed,
            run_number=self.run_number,
            thinking=thinking,
            notifications=self.notifications.upper(),
            augmentation=self._build_augmentation(),
            stop_on_rejection=self.stop_on_rejection,
            max_steps=self.max_steps,
            max_duration=None if self.max_duration is None else parse_limit("--max-duration", self.max_duration),
            max_wall_time=None if self.max_wall_time is None else parse_limit("--max-wall-time", self.max_wall_time),
            fs_content=str(fs_content) if fs_content else None,
            agents=frozenset(self.world_agents),
        )

    def _build_augmentation(self) -> AugmentationOptions | None:
        """Return how the runs are disturbed; None to do what the scenario says."""
        from adk_agent_sim.scenario.format.augmentation_options import AugmentationOptions

        failures, events = self.tool_failure_probability, self.env_events_per_minute
        given = (failures, events, self.tool_augmentation, self.a2a_app_prop)
        if not self.noise and all(each is None for each in given):
            return None
        # What the format's own option `--noise` sets.
        config: dict[str, Any] = {"tool_augmentation_config": {}, "env_events_config": {}} if self.noise else {}
        with report_wrong_option("--a2a-app-prop"):
            base = AugmentationOptions.from_runner_config({**config, "a2a_app_prop": self.a2a_app_prop or 0})
        return replace(
            base,
            tool_failure_probability=base.tool_failure_probability if failures is None else failures,
            env_events_per_minute=base.env_events_per_minute if events is None else events,
            # Not the format's default of 0: without a seed, the events follow the seed of each run.
            env_events_seed=None,
            rename_tools=base.rename_tools or self.tool_augmentation in ("names", "both"),
            reword_tools=base.reword_tools or self.tool_augmentation in ("descriptions", "both"),
        )


@dataclass(frozen=True, kw_only=True)
class AgentSettings(WorldSettings):
    """The values of the options for one agent, as they were given."""

    agent: str | None
    player: str | None
    model: str | None
    model_provider: str | None
    rules: Path | None
    trace: Path | None
    eval_set: Path | None
    markdown: Path | None
    report: Path | None
    timeline: Path | None

    @property
    def names_agent(self) -> bool:
        """Whether an agent or a player was asked for."""
        return self.agent is not None or self.player is not None or self.model is not None

    def build_exports(self) -> RunExports:
        """Return the files to write."""
        from adk_agent_sim.adk.worlds.run_exports import RunExports

        names = ("trace", "eval_set", "markdown", "report", "timeline")
        return RunExports(**{name: str(path) for name in names if (path := getattr(self, name)) is not None})

    def build_model_name(self) -> str | None:
        """Return the model's name in ADK; raise UsageError if only a provider was given."""
        from adk_agent_sim.adk.worlds.other_model import join_model_name

        if self.model is None:
            if self.model_provider is not None:
                raise click.UsageError("--model-provider needs --model: it says where the model is.")
            return None
        return join_model_name(self.model_provider, self.model)


agent_options = group_options("settings", AgentSettings, (*_SEAT_OPTIONS, *WORLD_OPTIONS, *_FILE_OPTIONS))
"""The options of a command that runs an agent in worlds; it gets them as `settings`."""

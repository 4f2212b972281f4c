"""What runs in worlds are given: the options `--judge` and `--record`, and checks of values before any run starts."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from adk_agent_sim.cli.exit_codes import report_wrong_option
from adk_agent_sim.errors import NotJudgeable
from adk_agent_sim.timeline.player_spec import Seat, format_players

if TYPE_CHECKING:
    from adk_agent_sim.scenario.verdict.soft_check import SoftJudge

DEFAULT_RECORD = Path("judge-answers.jsonl")

judge_option = click.option(
    "--judge",
    "judge_name",
    default="scripted",
    show_default=True,
    metavar="scripted|MODEL|replay:FILE",
    help="Who decides whether texts mean the same: nobody, a model such as gemini-2.5-flash, or recorded answers.",
)

record_option = click.option(
    "--record",
    type=click.Path(dir_okay=False, path_type=Path),
    default=DEFAULT_RECORD,
    show_default=True,
    help="Where the answers of MODEL are recorded, for replay:FILE.",
)


def make_soft_judge(name: str, record: Path) -> SoftJudge | str | None:
    """Return who answers soft checks; a model is imported only if it is asked for."""
    from adk_agent_sim.scenario.verdict.soft_check import REPLAY_PREFIX, RecordedAnswers

    if name == "scripted":
        return None
    if name.startswith(REPLAY_PREFIX):
        return name
    from adk_agent_sim.adk.evals.model_judge import ModelJudge

    try:
        model = ModelJudge(name)
    except NotJudgeable as error:
        raise click.BadParameter(f"{error} Use scripted, a model that ADK knows, or replay:FILE.") from error
    # The threads in which the model is asked end with the command.
    click.get_current_context().call_on_close(model.close)
    return RecordedAnswers(model, record)


def check_player(player: str) -> None:
    """Raise BadParameter if there is no such player, or its file cannot be used."""
    from adk_agent_sim.adk.worlds.run_players import create_run_player

    if not player:
        raise click.BadParameter(f"It is empty. Give {format_players(Seat.WORLD_MODEL)}.", param_hint="--player")
    with report_wrong_option("--player"):
        create_run_player(player)


def check_model(model: str) -> None:
    """Raise BadParameter if ADK knows no such model, or lacks a package for it."""
    from adk_agent_sim.adk.worlds.other_model import create_model

    with report_wrong_option("--model"):
        create_model(model)


def check_rules(rules: str, profile: str | None) -> None:
    """Raise BadParameter if a file has no valid rules, or not the profile."""
    from adk_agent_sim.environment.rulebook import Rulebook
    from adk_agent_sim.environment.rules_file import load_rules

    with report_wrong_option("--rules"):
        loaded = load_rules(rules)
    with report_wrong_option("--profile"):
        Rulebook(loaded, profile=profile, source=rules)


def check_judge(judge: str) -> None:
    """Raise BadParameter if the judge of texts is neither a model nor a file with recorded answers."""
    from adk_agent_sim.adk.worlds.other_model import create_model
    from adk_agent_sim.scenario.verdict.soft_check import REPLAY_PREFIX, find_soft_judge

    with report_wrong_option("--judge"):
        if judge == REPLAY_PREFIX:
            raise click.BadParameter("It names no file. Write replay:FILE.", param_hint="--judge")
        if judge.startswith(REPLAY_PREFIX):
            find_soft_judge(judge)
        else:
            create_model(judge)


def check_agent(agent: str) -> None:
    """Raise BadParameter if a folder cannot have an agent; its code, which may take long, is not loaded."""
    from adk_agent_sim.adk.loading.agent_loader import check_agent_folder
    from adk_agent_sim.adk.worlds.run_plan import DEFAULT_AGENT

    if not agent:
        raise click.BadParameter(f"It is empty. Give a folder, or {DEFAULT_AGENT}.", param_hint="--agent")
    if agent != DEFAULT_AGENT:
        with report_wrong_option("--agent"):
            check_agent_folder(Path(agent))

"""The options `--judge` and `--record` of commands that judge runs: who decides whether texts mean the same."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

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
    from adk_agent_sim.errors import NotJudgeable

    try:
        model = ModelJudge(name)
    except NotJudgeable as error:
        raise click.BadParameter(f"{error} Use scripted, a model that ADK knows, or replay:FILE.") from error
    # The threads in which the model is asked end with the command.
    click.get_current_context().call_on_close(model.close)
    return RecordedAnswers(model, record)

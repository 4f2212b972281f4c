"""`adksim scenario`: the group of commands for scenario files; each command has its own module."""

from __future__ import annotations

import click

from adk_agent_sim.cli.scenarios.scenario_agreement import agreement
from adk_agent_sim.cli.scenarios.scenario_annotate import annotate
from adk_agent_sim.cli.scenarios.scenario_check import check
from adk_agent_sim.cli.scenarios.scenario_convert import convert
from adk_agent_sim.cli.scenarios.scenario_judge import judge_command
from adk_agent_sim.cli.scenarios.scenario_lint import lint
from adk_agent_sim.cli.scenarios.scenario_run import run
from adk_agent_sim.cli.scenarios.scenario_show import show


@click.group()
def scenario() -> None:
    """Check, show, run, judge, annotate and convert ARE and Gaia2 scenarios."""


for _command in (lint, check, show, run, judge_command, agreement, annotate, convert):
    scenario.add_command(_command)

"""`adksim scenario run --player human`: a person plays the agent in the terminal, and moves the world's clock."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path

from adk_agent_sim.adk.steps.steps import Step
from adk_agent_sim.adk.worlds.run_exports import RunExports
from adk_agent_sim.adk.worlds.run_options import parse_duration
from adk_agent_sim.adk.worlds.run_result import WorldRunResult
from adk_agent_sim.adk.worlds.world_run import WorldRun
from adk_agent_sim.cli.exit_codes import NothingToCompare
from adk_agent_sim.cli.play.prompts import KeyboardPrompts, Prompts, ScriptedPrompts
from adk_agent_sim.cli.play.terminal import DECISION_HELP, TerminalSession
from adk_agent_sim.cli.play.terminal_commands import STATE_HELP
from adk_agent_sim.cli.play.terminal_text import TOOL_HELP
from adk_agent_sim.errors import InvalidCallSyntax
from adk_agent_sim.simulation.world_simulation import WorldSimulation
from adk_agent_sim.text.terminal_output import TerminalText, join_text, print_json_text, print_line, style
from adk_agent_sim.timeline.history import HistoryEntry, UserQuery
from adk_agent_sim.timeline.read_model.timeline_row import RowKind
from adk_agent_sim.timeline.store import MemoryStore
from adk_agent_sim.use_cases.worlds import export_world_run

_HELP = f"""\
{DECISION_HELP}{STATE_HELP}\
  /step                     let time pass until the next event
  /jump +TIME  /jump TIME   let time pass (/jump +10m); let it pass until TIME after the start (/jump 90)
  /world [APP]              show the world's hints and apps; show an app's state
  /undo  /redo  /turns      undo the last decision, step or jump; redo it; list the turns
  /quit                     leave before the end, without a verdict
where you are a tool (mock: human):
{TOOL_HELP}"""


async def play_run(run: WorldRun, store: MemoryStore, exports: RunExports) -> WorldRunResult:
    """Let a person play a run, and write its exports.

    Args:
        run: The run.
        store: The store of its timeline.
        exports: The files.

    Raises:
        NothingToCompare: The person left before the end.
    """
    prompts = KeyboardPrompts() if sys.stdin.isatty() else ScriptedPrompts(line.rstrip("\n") for line in sys.stdin)
    async with WorldSimulation(run, store) as sim:
        await _WorldTerminal(sim, prompts).play(await sim.next())
        result = sim.result
    if result is None:
        raise NothingToCompare("The run was stopped before it was over, so it was not judged.")
    return await export_world_run(run, result, exports)


class _WorldTerminal(TerminalSession):
    """One person playing the agent of one run."""

    help_text = _HELP

    def __init__(self, sim: WorldSimulation, prompts: Prompts) -> None:
        super().__init__(sim, prompts, Path(), None)
        self._run = sim.run
        self._row_count = 0
        self._own_commands = {"/step": self._pass_step, "/jump": self._pass_time, "/world": self._show_world}

    async def _ask_user(self) -> Step | None:
        # The scenario is the user, so there is nobody to ask but at the end.
        raise EOFError

    def _read_line(self, speaker: str, completions: Sequence[str] = ()) -> str:
        return super()._read_line(f"{self._run.world.elapsed:g} s, {speaker}", completions)

    async def _print_new_entries(self) -> None:
        """Print what is new in the conversation, and then what happened in the world meanwhile."""
        await super()._print_new_entries()
        rows = await self._sim.timeline.read_rows(self._sim.session_id, self._row_count, 1_000)
        self._row_count += len(rows)
        for row in rows:
            if row.kind is RowKind.WORLD:
                time = f"{row.world_seconds:g} s" if row.world_seconds is not None else ""
                print_line(style(f"  {time:>8}  {row.subject}: {row.summary} {row.result}".rstrip(), fg="yellow"))

    def _format_entry(self, entry: HistoryEntry) -> TerminalText:
        if isinstance(entry, UserQuery):
            return join_text("  ", style("user", fg="blue"), f"    {entry.content}")
        return super()._format_entry(entry)

    def _export_finished(self) -> bool:
        return False  # the options of the command say what is written

    async def _pass_step(self, _: str) -> None:
        await self._run.session.pass_time()

    async def _pass_time(self, text: str) -> None:
        seconds = parse_duration(text.removeprefix("+"))
        await (
            self._run.session.pass_time(seconds) if text.startswith("+") else self._run.session.pass_time(until=seconds)
        )

    async def _show_world(self, name: str) -> None:
        world = self._run.world
        if not name:
            for hint in world.hints():
                print_line(f"  hint: {hint.content}")
            print_line(f"  apps: {', '.join(world.apps)}")
        elif name in world.apps:
            print_json_text(json.dumps(world.apps[name].state(), indent=2, default=str))
        else:
            raise InvalidCallSyntax(f"There is no app {name!r}. The apps are: {', '.join(world.apps)}.")

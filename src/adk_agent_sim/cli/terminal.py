"""The terminal session of `adksim run` and `adksim demo`: a person plays the user and the agent's model."""

from __future__ import annotations

import asyncio
import json
import shutil
import signal
import sys
from collections.abc import Awaitable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from adk_agent_sim.adk.simulation import Simulation
from adk_agent_sim.adk.steps import Confirmation, ModelTurn, Step
from adk_agent_sim.cli import terminal_format
from adk_agent_sim.cli.call_parsing import parse_calls
from adk_agent_sim.cli.prompts import Prompts
from adk_agent_sim.errors import DecisionMismatch, RunFailed, SessionIncomplete, SimulatorError
from adk_agent_sim.text.escaping import escape_message
from adk_agent_sim.text.terminal_output import print_document, print_line, print_message, print_progress, style

if TYPE_CHECKING:
    from adk_agent_sim.adk.agent_loader import App

_HELP = """\
  TOOL name=value ...       call a tool; arguments also as JSON: TOOL {"name": "value"}
  [["TOOL", {...}], ...]    call several tools in one turn
  say TEXT                  send the final response (/say TEXT, if there is a tool called say)
  !LINE                     send LINE although it does not match the schema
  /tools [NAME]  /request   show the tools; show the request that the model would get
  /done                     export the session and leave        /quit  leave without exporting
"""


async def play_in_terminal(app: App, prompts: Prompts, eval_set: Path) -> bool:
    """Play until the person leaves. Returns whether a case was written to the EvalSet."""
    async with Simulation(app) as sim:
        return await _TerminalSession(sim, prompts, eval_set).play()


def find_adk_command() -> str:
    """Returns how to call ADK's command: `adk` if it is on PATH, otherwise the one beside this interpreter."""
    return "adk" if shutil.which("adk") else str(Path(sys.executable).with_name("adk"))


class _TerminalSession:
    """One person playing one agent."""

    def __init__(self, sim: Simulation, prompts: Prompts, eval_set: Path) -> None:
        self._sim = sim
        self._prompts = prompts
        self._eval_set = eval_set
        self._printed_count = 0
        self._introduced_agents: set[str] = set()

    async def play(self) -> bool:
        print_document("First you are the user, then the agent's model. Type /help for the commands.\n\n")
        step: Step | None = None
        while True:
            try:
                step = await self._take_step(step)
            except _QuitRequested:
                return False
            except _DoneRequested:
                if not isinstance(step, ModelTurn | Confirmation):
                    return self._export_finished()
                print_line("  The agent is waiting: answer with say TEXT first, or leave with /quit.", err=True)
            except (EOFError, KeyboardInterrupt):
                print_line()
                return self._export_finished()

    async def _take_step(self, step: Step | None) -> Step | None:
        match step:
            case ModelTurn():
                return await self._ask_decision(step)
            case Confirmation():
                return await self._ask_confirmation(step)
            case _:
                return await self._ask_user()

    async def _ask_user(self) -> Step | None:
        line = self._read_line("user")
        if line.startswith("/"):
            command = line.partition(" ")[0]
            hint = "Type /help for the commands, or put ! before the line to send it as the user's message."
            print_message(f"There is no command {command} for the user. {hint}", fg="red", err=True)
            return None
        line = line[1:] if line.startswith("!/") else line
        return await self._run_step(self._sim.send(line), None) if line else None

    async def _ask_decision(self, turn: ModelTurn) -> Step | None:
        if turn.agent_name not in self._introduced_agents:
            _print_introduction(turn, first=not self._introduced_agents)
            self._introduced_agents.add(turn.agent_name)
        line = self._read_line(f"model of {turn.agent_name}", _list_completions(turn))
        command, _, rest = line.partition(" ")
        if command == "/tools":
            print_document(
                terminal_format.format_tool_details(turn, rest.strip())
                if rest.strip()
                else terminal_format.format_tools(turn)
            )
        elif command == "/request":
            print_document(terminal_format.format_request(turn))
        elif line:
            return await self._run_step(_send_decision(turn, line), turn)
        return turn

    async def _ask_confirmation(self, question: Confirmation) -> Step | None:
        call = f"{question.pending_call.name}({json.dumps(question.pending_call.args, ensure_ascii=False)})"
        print_message(question.hint, fg="cyan")
        line = self._read_line(f"approve {call}? yes/no", ["yes", "no"])
        if line in ("yes", "no"):
            return await self._run_step(question.approve() if line == "yes" else question.deny(), question)
        return question

    def _read_line(self, speaker: str, completions: Sequence[str] = ()) -> str:
        line = self._prompts.ask(style(f"{speaker}> ", fg="cyan"), completions).strip()
        if line == "/help":
            print_document(f"{_HELP}\n")
            return ""
        if line in ("/done", "/quit"):
            raise _QuitRequested if line == "/quit" else _DoneRequested
        return line

    async def _run_step(self, work: Awaitable[Step], fallback: Step | None) -> Step | None:
        """Returns the next step: `fallback` if the input was rejected, None (the user's turn) if the run failed."""
        try:
            return await self._wait_with_progress(work)
        except RunFailed as error:
            print_message(str(error), fg="red", err=True)
            return None
        except SimulatorError as error:
            can_override = isinstance(error, DecisionMismatch)
            message = f"{error.summary}. Put ! before the line to send it anyway." if can_override else str(error)
            print_message(message, fg="red", err=True)
            return fallback

    async def _wait_with_progress(self, work: Awaitable[Step]) -> Step:
        """Wait for the next step and print how long a tool has been running; Ctrl-C cancels the call."""
        loop = asyncio.get_running_loop()
        task = asyncio.ensure_future(work)
        with suppress(NotImplementedError):  # Windows: Ctrl-C then ends the session instead of the call
            loop.add_signal_handler(signal.SIGINT, self._cancel_running)
        try:
            waited, has_printed = 0, False
            while not (await asyncio.wait({task}, timeout=1))[0]:
                waited += 1
                if self._sim.running():
                    has_printed = True
                    print_progress(f"running for {waited} s; Ctrl-C cancels the call ")
            if has_printed:
                print_line(err=True)
            return await task
        finally:
            with suppress(NotImplementedError):
                loop.remove_signal_handler(signal.SIGINT)
            self._print_new_entries()

    def _cancel_running(self) -> None:
        for call_id in self._sim.running():
            self._sim.cancel(call_id)

    def _print_new_entries(self) -> None:
        entries = self._sim.history()
        for entry in entries[self._printed_count :]:
            if line := terminal_format.format_entry(entry):
                print_document(line)
        self._printed_count = len(entries)

    def _export_finished(self) -> bool:
        """Export the finished user turns and print how many were left out. Returns whether a case was written."""
        if not self._sim.history():
            return False
        session = self._sim.session(self._eval_set)
        try:
            case = self._sim.export(self._eval_set, finished_only=True)
        except SessionIncomplete:
            print_line("Nothing was exported: no user turn has a final response.", err=True)
            return False
        except SimulatorError as error:
            print_document(f"Nothing was exported. {escape_message(str(error))}", err=True)
            return False
        finished = len(case.conversation or ())
        started = sum(entry.type == "user_query" for entry in session.history)
        note = f" ({finished} of {started} user turns; the others have no final response)" if finished < started else ""
        print_line()
        print_line(f"Exported {case.eval_id} to {self._eval_set}{note}")
        return True


class _DoneRequested(Exception):
    """The person typed /done."""


class _QuitRequested(Exception):
    """The person typed /quit: nothing is exported."""


async def _send_decision(turn: ModelTurn, line: str) -> Step:
    anyway = line.startswith("!")
    line = line.removeprefix("!").strip()
    command, _, rest = line.partition(" ")
    if command == "/say" or (command == "say" and "say" not in turn.tools):
        return await turn.respond(rest.strip(), anyway=anyway)
    if command.startswith("/"):
        raise SimulatorError(f"There is no command {command}. Type /help for the commands.")
    return await turn.calls(parse_calls(line, terminal_format.read_tool_schemas(turn)), anyway=anyway)


def _list_completions(turn: ModelTurn) -> list[str]:
    """Returns what Tab completes: tools, their arguments, commands."""
    arguments = [
        f"{name}="
        for schema in terminal_format.read_tool_schemas(turn).values()
        for name in schema.get("properties", {})
    ]
    return [*turn.tools, "say", *dict.fromkeys(arguments), "/tools", "/request", "/help", "/done", "/quit"]


def _print_introduction(turn: ModelTurn, *, first: bool) -> None:
    print_line()
    print_line(style(f"You are now the model of {turn.agent_name}. This is its instruction:", bold=True))
    print_document(turn.instruction)
    print_line()
    print_document(terminal_format.format_tools(turn))
    print_line()
    if first:
        print_document(f"{_HELP}\n")
